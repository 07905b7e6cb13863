import type { GivenAlert } from '../../core/playbook-test/read/read-fixtures.ts'
import { readGivenJson } from '../read-given.ts'

/**
 * An alert from a JSON file, or from standard input for `-`: what POST /alerts takes or GET /alerts/<id> answers (known by its
 * `alert_content`), or the content itself.
 */
export async function readAlert(file: string): Promise<GivenAlert> {
  const { text, value: given } = await readGivenJson(file)
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, 'alert_content'))
    return { body: { content: text.trimEnd() } }
  const alert = given as Readonly<Record<string, unknown>>
  const own = (name: string): unknown => (Object.hasOwn(alert, name) ? alert[name] : undefined)
  const string = (name: string) => (typeof own(name) === 'string' ? (own(name) as string) : undefined)
  const time = own('created_at_source')
  return {
    type: string('alert_type'),
    provider: string('alert_provider'),
    body: { content: string('alert_content') ?? '' },
    id: string('alert_id'),
    uuid: string('alert_uuid'),
    createdAt: typeof own('created_at') === 'number' ? (own('created_at') as number) : undefined,
    createdAtSource: typeof time === 'number' || typeof time === 'bigint' ? time : undefined,
  }
}
