import { theServer, type AuditHead } from '../../core/domain/audit.ts'
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
  readonly clock: Clock
  readonly log: Log
}

/**
 * Resumes each destination where it stopped. A new destination starts with the first entry; a destination
 * that is no longer configured is forgotten. The audit log records both.
 *
 * @throws ValidationError `config_invalid` for a destination that cannot be used
 */
export async function startAuditExport(options: AuditExportOptions): Promise<AuditExport> {
  const { settings, stores, exclusive, clock, log } = options
  const destinations = settings.targets.map((target) => ({
    name: target.name,
    destination: destinationOf(target, settings.authorization),
  }))
  for (const { name, destination } of destinations) await requireUsable(name, destination)
  const names = new Set(destinations.map(({ name }) => name))
  for (const { destination } of await stores.audit.exportCursors()) {
    if (names.has(destination)) continue
    log.warn({ destination }, 'the audit log is not exported to this destination any more')
    await stores.audit.stopExport(destination, theServer)
  }
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
      await Promise.all(exporters.map((exporter) => exporter.close()))
    },
  }
}

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
