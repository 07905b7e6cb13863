import { setTimeout as sleep } from 'node:timers/promises'
import { alertStatusNames, type AlertStatus } from '../../core/domain/alert.ts'
import { printable } from '../output/printable.ts'
import type { ApiClient } from '../api-client.ts'
import type { SampleAlert } from './sample-alerts.ts'

/** The outcome of one alert. */
export interface Outcome {
  readonly sample: SampleAlert
  readonly alertId: string
  /** Name of the status, e.g. `Completed`. */
  readonly status: string
  readonly playbook: string
  readonly caseId: string
  readonly severity: string
  readonly verdict: string
  readonly summary: string
  readonly durationMs: number | undefined
}

interface AlertAnswer {
  readonly alert_id: string
  readonly created_at: number
  readonly investigation_status: AlertStatus
  readonly investigator: string | null
  readonly case_id: string | null
  readonly completed_at: number | null
}

interface CaseAnswer {
  readonly severity: string
  readonly verdict: string
  readonly summary: string | null
}

/** How long the demo waits for the last investigation. */
const patienceMs = 60_000

/**
 * Posts all samples, shows progress, answers questions, and resolves when all investigations have ended or
 * time is up.
 */
export async function postAndAwait(
  api: ApiClient,
  samples: readonly SampleAlert[],
  people: { look(): Promise<void> },
): Promise<Outcome[]> {
  const post = async (sample: SampleAlert) => ({
    sample,
    id: (
      await api.post<AlertAnswer>('/alerts', {
        alert_provider: sample.provider,
        organization_code: sample.organization,
        alert_type: sample.alertType,
        alert_content: sample.content,
      })
    ).alert_id,
  })
  const posted: Awaited<ReturnType<typeof post>>[] = []
  // Samples with a story are posted one by one, so that their case numbers never change.
  for (const sample of samples) if (sample.story !== undefined) posted.push(await post(sample))
  posted.push(...(await Promise.all(samples.filter((sample) => sample.story === undefined).map(post))))
  const giveUpAt = Date.now() + patienceMs
  for (;;) {
    await people.look()
    const alerts = await Promise.all(
      posted.map(async ({ sample, id }) => ({ sample, alert: await api.get<AlertAnswer>(`/alerts/${id}`) })),
    )
    const ended = alerts.filter(({ alert }) => alert.investigation_status >= 15).length
    showProgress(ended, alerts.length)
    if (ended === alerts.length || Date.now() > giveUpAt) {
      return Promise.all(alerts.map(({ sample, alert }) => outcomeOf(sample, alert, api)))
    }
    await sleep(100)
  }
}

async function outcomeOf(sample: SampleAlert, alert: AlertAnswer, api: ApiClient): Promise<Outcome> {
  const found: CaseAnswer =
    alert.case_id === null
      ? { severity: '', verdict: '', summary: null }
      : await api.get<CaseAnswer>(`/cases/${alert.case_id}`)
  return {
    sample,
    alertId: alert.alert_id.toUpperCase(),
    status: alertStatusNames[alert.investigation_status],
    playbook: alert.investigator ?? '',
    caseId: alert.case_id ?? '',
    severity: found.severity,
    verdict: found.verdict,
    summary: found.summary ?? '',
    durationMs: alert.completed_at === null ? undefined : alert.completed_at - alert.created_at,
  }
}

/** One line that is overwritten on a terminal; otherwise printed once at the end. */
function showProgress(ended: number, all: number): void {
  const text = printable(`${ended} of ${all} alerts investigated`)
  if (process.stdout.isTTY) process.stdout.write(`\r${text}${ended === all ? '\n' : ''}`)
  else if (ended === all) process.stdout.write(`${text}\n`)
}
