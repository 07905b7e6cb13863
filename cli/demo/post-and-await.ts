import { setTimeout as sleep } from 'node:timers/promises'
import { alertStatusNames, type AlertStatus } from '../../core/domain/alert.ts'
import { printable } from '../output/printable.ts'
import type { ApiClient } from '../api-client.ts'
import { demoOrganization } from './prepare.ts'
import type { SampleAlert } from './sample-alerts.ts'

/** What became of one alert. */
export interface Outcome {
  readonly alertId: string
  readonly provider: string
  readonly alertType: string
  /** Name of the status, e.g. `Completed`. */
  readonly status: string
  readonly playbook: string
  readonly caseId: string
  readonly severity: string
  readonly verdict: string
  readonly durationMs: number | undefined
}

interface AlertAnswer {
  readonly alert_id: string
  readonly alert_provider: string
  readonly alert_type: string
  readonly created_at: number
  readonly investigation_status: AlertStatus
  readonly investigator: string | null
  readonly case_id: string | null
  readonly completed_at: number | null
}

/** How long the demo waits for the last investigation. */
const patienceMs = 60_000

/** Posts every sample, shows progress, and resolves when all investigations have ended (or patience has). */
export async function postAndAwait(api: ApiClient, samples: readonly SampleAlert[]): Promise<Outcome[]> {
  const posted = await Promise.all(
    samples.map((sample) =>
      api.post<AlertAnswer>('/alerts', {
        alert_provider: sample.provider,
        organization_code: demoOrganization.code,
        alert_type: sample.alertType,
        alert_content: sample.content,
      }),
    ),
  )
  const giveUpAt = Date.now() + patienceMs
  for (;;) {
    const alerts = await Promise.all(
      posted.map(({ alert_id }) => api.get<AlertAnswer>(`/alerts/${alert_id}`)),
    )
    const ended = alerts.filter((alert) => alert.investigation_status >= 15).length
    showProgress(ended, alerts.length)
    if (ended === alerts.length || Date.now() > giveUpAt) {
      return Promise.all(alerts.map((alert) => outcomeOf(alert, api)))
    }
    await sleep(100)
  }
}

async function outcomeOf(alert: AlertAnswer, api: ApiClient): Promise<Outcome> {
  const found =
    alert.case_id === null
      ? { severity: '', verdict: '' }
      : await api.get<{ severity: string; verdict: string }>(`/cases/${alert.case_id}`)
  return {
    alertId: alert.alert_id.toUpperCase(),
    provider: alert.alert_provider,
    alertType: alert.alert_type,
    status: alertStatusNames[alert.investigation_status],
    playbook: alert.investigator ?? '',
    caseId: alert.case_id ?? '',
    severity: found.severity,
    verdict: found.verdict,
    durationMs: alert.completed_at === null ? undefined : alert.completed_at - alert.created_at,
  }
}

/** One line that is written over on a terminal; elsewhere only the end is said. */
function showProgress(ended: number, all: number): void {
  const text = printable(`${ended} of ${all} alerts investigated`)
  if (process.stdout.isTTY) process.stdout.write(`\r${text}${ended === all ? '\n' : ''}`)
  else if (ended === all) process.stdout.write(`${text}\n`)
}
