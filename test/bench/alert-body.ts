import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identifyAlert } from '../../core/alert-source/index.ts'

/** Replaced by a number with as many digits in each alert, because repeats would be grouped. */
export const numberMark = '0000000000'

/** Alert content as in a sign-in log, the largest for which `fits`; the same for the same number. */
function content(number: number, fits: (text: string) => boolean): string {
  const event = (n: number) => ({
    id: `${(number * 7919 + n * 104_729) % 1_000_003}-${n}`,
    time: new Date(1_767_225_600_000 + number * 1_000 + n).toISOString(),
    user: {
      name: `user${(number * 31 + n) % 5_000}@example.com`,
      department: ['sales', 'support', 'research'][n % 3],
    },
    source: { address: `203.0.113.${(number + n) % 256}`, port: 1_024 + ((number * 13 + n) % 60_000) },
    action: ['sign-in', 'download', 'mailbox rule', 'password reset'][(number + n) % 4],
    outcome: n % 5 === 0 ? 'failure' : 'success',
  })
  const text = (events: readonly unknown[]) =>
    JSON.stringify({ severity: 'high', number: numberMark, events })
  let events: readonly unknown[] = []
  for (;;) {
    const more = [...events, event(events.length)]
    if (!fits(text(more))) return text(events)
    events = more
  }
}

const bodyOf = (text: string, type?: string): string =>
  JSON.stringify({
    alert_provider: 'custom',
    organization_code: 'main',
    ...(type === undefined ? {} : { alert_type: type }),
    alert_content: text,
  })

/**
 * The body of a request that creates an alert: JSON of exactly this many bytes. Without a type, it is not
 * investigated.
 */
export function alertBody(number: number, bytes: number, type?: string): string {
  const sizeOf = (text: string) => Buffer.byteLength(bodyOf(text, type))
  const text = content(number, (some) => sizeOf(some) <= bytes)
  return bodyOf(text.padEnd(text.length + bytes - sizeOf(text)), type)
}

const productAlert = join(import.meta.dirname, '../data/alerts/cb-passthrough.json')

/** An alert of a known product, whose title, severity, time and id are read when it is stored: 3 KB. It is not investigated. */
export async function productAlertBody(): Promise<string> {
  const alert = JSON.parse(await readFile(productAlert, 'utf8')) as Readonly<Record<string, unknown>>
  const content = JSON.stringify({ ...alert, id: numberMark })
  const { source } = identifyAlert({ content })
  if (source === null) throw new Error('the product of the alert is not recognized')
  return bodyOf(content)
}
