import {
  countAt,
  objectsAt,
  readable,
  SkillError,
  textAt,
  valueAt,
  type AnnouncedPage,
  type JsonObject,
} from 'tocsin/plugin'

/** An alert of `/alert/v3`: the fields that playbooks branch on, and the whole record in `raw`. */
export interface IntelAlert {
  readonly id: string
  readonly title: string | null
  readonly type: string | null
  readonly status: string | null
  readonly assignee: string | null
  readonly triggered: string | null
  readonly rule: { readonly id: string | null; readonly name: string | null }
  readonly portal_url: string | null
  readonly entities: readonly AlertEntity[]
  readonly raw: JsonObject
}

interface AlertEntity {
  readonly id: string | null
  readonly name: string | null
  readonly type: string | null
}

/** The provider refuses pages beyond this offset. */
export const furthestOffset = 1000

/**
 * Reads `{ data: [...], counts: { total } }`, with errors for unreadable alerts. Throws SkillError
 * `bad_response` for any other body.
 */
export function decodePage<T>(body: unknown, decode: (item: JsonObject) => T): AnnouncedPage<T> {
  const data = valueAt(body, 'data')
  if (!Array.isArray(data)) throw new SkillError('bad_response', "the provider's response has no list 'data'")
  return { items: data.map(readable(decode)), total: countAt(valueAt(body, 'counts'), 'total') }
}

/** Throws SkillError `bad_response` for an alert without an id. */
export function decodeAlertRecord(alert: JsonObject): IntelAlert {
  const id = textAt(alert, 'id')
  if (id === null) throw new SkillError('bad_response', 'the provider returned an alert without an id')
  const review = valueAt(alert, 'review')
  const rule = valueAt(alert, 'rule')
  return {
    id,
    title: textAt(alert, 'title'),
    type: textAt(alert, 'type'),
    status: textAt(review, 'status_in_portal'),
    assignee: textAt(review, 'assignee'),
    triggered: textAt(valueAt(alert, 'log'), 'triggered'),
    rule: { id: textAt(rule, 'id'), name: textAt(rule, 'name') },
    portal_url: textAt(valueAt(alert, 'url'), 'portal'),
    entities: entitiesOf(alert),
    raw: alert,
  }
}

/** Whether the text is the id or name of an entity of the alert, ignoring case. */
export function mentions(alert: IntelAlert, entity: string): boolean {
  const wanted = entity.toLowerCase()
  return alert.entities.some(({ id, name }) => id?.toLowerCase() === wanted || name?.toLowerCase() === wanted)
}

/** Every entity in the alert, without duplicates. */
function entitiesOf(alert: JsonObject): readonly AlertEntity[] {
  const entities = new Map<string, AlertEntity>()
  for (const entity of namedIn(alert)) {
    const read = { id: textAt(entity, 'id'), name: textAt(entity, 'name'), type: textAt(entity, 'type') }
    if (read.id !== null || read.name !== null) entities.set(JSON.stringify([read.id, read.name]), read)
  }
  return [...entities.values()]
}

function* namedIn(alert: JsonObject): Generator {
  for (const hit of objectsAt(alert, 'hits')) {
    yield valueAt(hit, 'primary_entity')
    yield* objectsAt(hit, 'entities')
  }
  for (const enriched of objectsAt(alert, 'enriched_entities')) yield valueAt(enriched, 'entity')
  for (const reference of objectsAt(alert, 'triggered_by')) {
    const paths = valueAt(reference, 'entity_paths')
    for (const path of Array.isArray(paths) ? paths : []) {
      for (const step of objectsAt({ path }, 'path')) yield valueAt(step, 'entity')
    }
  }
}
