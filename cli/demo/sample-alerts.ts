import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Organizations of the demo, with other vendors each. */
export type DemoOrganization = 'demo' | 'second'

/** An alert in its original format, with the provider and type for posting it. */
export interface SampleAlert {
  readonly organization: DemoOrganization
  readonly provider: string
  readonly alertType: string
  readonly content: string
  /** What it demonstrates; only for alerts made for the demo. */
  readonly story: string | undefined
  /** People to ask, in the order of the questions. */
  readonly people: readonly Person[]
  /** The expected result of the shipped playbooks; undefined: any completed run. */
  readonly expected: ExpectedOutcome | undefined
}

/** Result of an alert and its case. */
export interface ExpectedOutcome {
  readonly playbook: string
  readonly severity: string
  readonly verdict: string
}

/** A person in the messaging sandbox. */
export interface Person {
  readonly email: string
  /** Text in the question; default: any. */
  readonly about?: string
  /** The button to press; null: never answers. */
  readonly presses: string | null
}

const folder = join(import.meta.dirname, 'alerts')

/** The sample alerts of `alerts/index.json`; `alerts/NOTICE.md` lists their sources. */
export async function readSampleAlerts(): Promise<SampleAlert[]> {
  const index = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')) as {
    organization?: DemoOrganization
    file: string
    provider: string
    alert_type: string
    story?: string
    people?: readonly Person[]
    expect?: ExpectedOutcome
  }[]
  return Promise.all(
    index.map(async ({ organization = 'demo', file, provider, alert_type, story, people = [], expect }) => ({
      organization,
      provider,
      alertType: alert_type,
      content: await readFile(join(folder, file), 'utf8'),
      story,
      people,
      expected: othersPlaybooks() === undefined ? expect : undefined,
    })),
  )
}

/** The playbooks folder of the user, if set: the demo expects nothing of it. */
export const othersPlaybooks = (): string | undefined => process.env['TOCSIN_PLAYBOOKS_DIR'] || undefined
