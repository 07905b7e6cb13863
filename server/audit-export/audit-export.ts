import { theServer, type AuditHead } from '../../core/domain/audit.ts'
import { createBackground } from '../../core/common/background.ts'
import { ValidationError } from '../../core/errors/errors.ts'
import type { Secret } from '../../core/plugin/index.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { ExclusiveWork } from '../../core/ports/nodes/exclusive-work.ts'
import type { Stores } from '../../core/ports/stores.ts'
import type { Destination } from './destination.ts'
import { createExporter, type ExportState } from './exporter.ts'
import { fileDestination } from './file.ts'
import { httpDestination } from './http.ts'
import type { ExportTarget } from './settings.ts'
import { syslogDestination } from './syslog.ts'

export interface AuditExportSettings {
  readonly targets: readonly ExportTarget[]
  /** Sent to HTTP destinations as `Authorization`. */
  readonly authorization: Secret | undefined
}

export interface AuditExport {
  states(): readonly ExportState[]
  wake(head: AuditHead): void
  close(): Promise<void>
}

export interface AuditExportOptions {
  readonly settings: AuditExportSettings
  readonly stores: Pick<Stores, 'audit'>
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  /** Whether no other node may still export to a destination that is not configured here. Default: there is no other node. */
  readonly mayForget?: (() => Promise<boolean>) | undefined
  readonly clock: Clock
  readonly log: Log
}

/**
 * Resumes each destination where it stopped. A new destination starts with the first entry; a destination
 * that is no longer configured, on any node, is forgotten. The audit log records both.
 *
 * @throws ValidationError `config_invalid` for a destination that cannot be used
 */
export async function startAuditExport(options: AuditExportOptions): Promise<AuditExport> {
  const { settings, stores, exclusive, mayForget = () => Promise.resolve(true), clock, log } = options
  const destinations = settings.targets.map((target) => ({
    name: target.name,
    destination: destinationOf(target, settings.authorization),
  }))
  for (const { name, destination } of destinations) await requireUsable(name, destination)
  const names = new Set(destinations.map(({ name }) => name))
  /** False: another node may still export to it. */
  async function forgetOthers(): Promise<boolean> {
    const others = (await stores.audit.exportCursors()).filter(({ destination }) => !names.has(destination))
    if (others.length === 0) return true
    if (!(await mayForget())) return false
    for (const { destination } of others) {
      log.warn({ destination }, 'the audit log is not exported to this destination any more')
      await stores.audit.stopExport(destination, theServer)
    }
    return true
  }
  const forgetting = createBackground(clock, async () => {
    for (let isDone = false; !isDone && !forgetting.signal.aborted;) {
      await forgetting.rest(forgetAgainMs)
      isDone = await forgetOthers().catch(() => false)
    }
  })
  if (!(await forgetOthers())) forgetting.start()
  const exporters = await Promise.all(
    destinations.map(async ({ name, destination }) => {
      const cursor = await stores.audit.startExport(name, theServer)
      return createExporter({ audit: stores.audit, destination, cursor, exclusive, clock, log })
    }),
  )
  return {
    states: () => exporters.map((exporter) => exporter.state()),
    wake(head) {
      for (const exporter of exporters) exporter.wake(head)
    },
    async close() {
      await forgetting.stop()
      await Promise.all(exporters.map((exporter) => exporter.close()))
    },
  }
}

/** Time between two questions whether the other nodes have dropped the destination as well, in milliseconds. */
const forgetAgainMs = 30_000

function destinationOf(target: ExportTarget, authorization: Secret | undefined): Destination {
  if (target.kind === 'file') return fileDestination(target)
  return target.kind === 'http' ? httpDestination(target, authorization) : syslogDestination(target)
}

async function requireUsable(name: string, destination: Destination): Promise<void> {
  try {
    await destination.check()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const text = `TOCSIN_AUDIT_EXPORT: ${name} cannot be written to (${code ?? message})`
    throw new ValidationError('config_invalid', text, [{ pointer: '/TOCSIN_AUDIT_EXPORT', message: text }], {
      hint: 'create its folder, writable for the user of the server, or name another file',
    })
  }
}
