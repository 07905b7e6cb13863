import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { othersPlaybooks } from './others-playbooks.ts'

/** One alert as its maker sent it, with the provider and the type it is posted under. */
export interface SampleAlert {
  readonly provider: string
  readonly alertType: string
  readonly content: string
  /** What it is to show, in a sentence; those that were made for the demo have one. */
  readonly story: string | undefined
  /** Whom the playbook asks, in the order of the questions. */
  readonly people: readonly Person[]
  /** What the shipped playbooks have to make of it; undefined: anything that completes. */
  readonly expected: Expected | undefined
}

/** What becomes of an alert and its case. */
export interface Expected {
  readonly playbook: string
  readonly severity: string
  readonly verdict: string
}

/** Who is asked, in the messaging sandbox. */
export interface Person {
  readonly email: string
  /** Part of the question that is meant; default: any. */
  readonly about?: string
  /** The answer whose button is pressed; null: they never look. */
  readonly presses: string | null
}

const folder = join(import.meta.dirname, 'alerts')

/** The sample alerts of `alerts/index.json`; where they come from stands in `alerts/NOTICE.md`. */
export async function readSampleAlerts(): Promise<SampleAlert[]> {
  const index = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')) as {
    file: string
    provider: string
    alert_type: string
    story?: string
    people?: readonly Person[]
    expect?: Expected
  }[]
  return Promise.all(
    index.map(async ({ file, provider, alert_type, story, people = [], expect }) => ({
      provider,
      alertType: alert_type,
      content: await readFile(join(folder, file), 'utf8'),
      story,
      people,
      expected: othersPlaybooks() === undefined ? expect : undefined,
    })),
  )
}
