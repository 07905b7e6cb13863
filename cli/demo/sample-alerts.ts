import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One alert as its maker sent it, with the provider and the type it is posted under. */
export interface SampleAlert {
  readonly provider: string
  readonly alertType: string
  readonly content: string
}

const folder = join(import.meta.dirname, 'alerts')

/** The sample alerts of `alerts/index.json`; where they come from stands in `alerts/NOTICE.md`. */
export async function readSampleAlerts(): Promise<SampleAlert[]> {
  const index = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')) as {
    file: string
    provider: string
    alert_type: string
  }[]
  return Promise.all(
    index.map(async ({ file, provider, alert_type }) => ({
      provider,
      alertType: alert_type,
      content: await readFile(join(folder, file), 'utf8'),
    })),
  )
}
