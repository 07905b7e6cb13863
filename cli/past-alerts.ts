import { identifyAlert } from '../core/alert-source/index.ts'
import type { Alert, NewAlert } from '../core/domain/alert.ts'
import type { Organization } from '../core/domain/organization.ts'
import { ValidationError } from '../core/errors/errors.ts'
import { receivedAlert } from '../core/transitions/alert.ts'
import { printable } from './output/printable.ts'
import { readGivenJson } from './read-given.ts'

/**
 * Alerts in a file, oldest first: a list, or an answer of `GET /alerts?content=true`. Each has `alert_content` and `alert_type`; the
 * other fields of the API are optional.
 *
 * @throws ValidationError `alerts_invalid`
 */
export async function pastAlertsIn(
  file: string,
): Promise<{ readonly alerts: readonly Alert[]; readonly organization: Organization }> {
  const { value } = await readGivenJson(file)
  const rows = Array.isArray(value) ? (value as readonly unknown[]) : fieldOf(value, 'data')
  if (!Array.isArray(rows)) throw invalid(file, 'expected a list of alerts, or an object with `data`')
  const alerts = rows.map((row, at) => alertOf(row, at, file)).toSorted((a, b) => a.createdAt - b.createdAt)
  const code = alerts[0]?.organizationCode ?? 'main'
  const organization = { uuid: code, code, name: code } as Organization
  return { alerts, organization }
}

function alertOf(row: unknown, at: number, file: string): Alert {
  const text = (name: string): string | undefined => {
    const found = fieldOf(row, name)
    return typeof found === 'string' ? found : undefined
  }
  const given = fieldOf(row, 'alert_content')
  const content = typeof given === 'string' ? given : given === undefined ? undefined : JSON.stringify(given)
  if (content === undefined) throw invalid(file, `alert ${at + 1} has no \`alert_content\``)
  const provider = text('alert_provider') ?? 'custom'
  const alert: NewAlert = {
    content,
    provider,
    organizationUuid: '',
    type: text('alert_type') ?? null,
    createdAtSource: null,
    createdBy: '',
  }
  const createdAt = fieldOf(row, 'created_at')
  const organizationCode = text('organization_code') ?? 'main'
  const known = receivedAlert({
    ...alert,
    ...identifyAlert(alert).facts,
    id: text('alert_id') ?? `${organizationCode}-${provider}-${at + 1}`,
    uuid: '',
    organizationCode,
    createdAt: typeof createdAt === 'number' ? createdAt : timeOf(createdAt, at, file),
  })
  return { ...known, caseId: text('case_id') ?? null, groupedWith: text('grouped_with') ?? null }
}

function timeOf(given: unknown, at: number, file: string): number {
  const ms = typeof given === 'string' ? Date.parse(given) : Number.NaN
  if (Number.isNaN(ms)) throw invalid(file, `alert ${at + 1} has no time in \`created_at\``)
  return ms
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const invalid = (file: string, message: string): ValidationError =>
  new ValidationError('alerts_invalid', `${printable(file)}: ${message}`, [], {
    hint: 'save an answer of GET /alerts?content=true, or write [{ "alert_type": …, "alert_content": …, "created_at": … }]',
  })
