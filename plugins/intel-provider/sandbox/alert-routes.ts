import { isObject, objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'
import { alertError, okAnswer } from './answer.ts'
import { intelFixture } from './fixture.ts'

const alwaysPresent = ['id', 'log', 'title', 'rule']
const queryNames = new Set([
  'triggered',
  'limit',
  'from',
  'orderBy',
  'direction',
  'statusInPortal',
  'assignee',
  'alertRule',
  'freetext',
  'taggedText',
  'fields',
])

export const loadAlerts = (): readonly JsonObject[] => objectsAt(intelFixture('v3-alert-page-event'), 'data')

/** GET `/alert/v3`. */
export function answerAlerts(alerts: readonly JsonObject[], query: URLSearchParams): SandboxReply {
  const foreign = [...query.keys()].find((name) => !queryNames.has(name))
  if (foreign !== undefined) return alertError(400, `Unknown query parameter ${foreign}`)
  const from = Number(query.get('from') ?? 0)
  const limit = Number(query.get('limit') ?? 10)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 1000))
    return alertError(400, 'limit must be 1 to 1000')
  if (!(Number.isInteger(from) && from >= 0 && from + limit <= 1000))
    return alertError(400, 'from + limit exceeds 1000')
  const range = readRange(query.get('triggered'))
  if (range === undefined) return alertError(400, 'triggered must be [from,to]')
  const direction = query.get('direction') === 'asc' ? 1 : -1
  const fitting = alerts
    .filter((alert) => range(triggeredOf(alert)) && fits(alert, query))
    .toSorted((a, b) => direction * (triggeredOf(a) - triggeredOf(b)))
  const page = fitting.slice(from, from + limit)
  const fields = new Set([...alwaysPresent, ...(query.get('fields')?.split(',') ?? [])])
  return okAnswer({
    data: page.map((alert) => Object.fromEntries(Object.entries(alert).filter(([name]) => fields.has(name)))),
    counts: { returned: page.length, total: fitting.length },
  })
}

/** The provider ignores milliseconds. */
const triggeredOf = (alert: JsonObject): number =>
  Math.floor(Date.parse(textAt(valueAt(alert, 'log'), 'triggered') ?? '') / 1000)

function fits(alert: JsonObject, query: URLSearchParams): boolean {
  const review = valueAt(alert, 'review')
  const status = query.get('statusInPortal')
  const assignee = query.get('assignee')
  const rules = query.getAll('alertRule')
  const rule = valueAt(alert, 'rule')
  const words = query.get('freetext')?.toLowerCase().split(/\s+/) ?? []
  const text = JSON.stringify([
    valueAt(alert, 'title'),
    textAt(rule, 'name'),
    valueAt(alert, 'hits'),
  ]).toLowerCase()
  return (
    words.every((word) => text.includes(word)) &&
    (status === null || textAt(review, 'status_in_portal') === status) &&
    (assignee === null || textAt(review, 'assignee') === (assignee === 'NONE' ? null : assignee)) &&
    (rules.length === 0 || (isObject(rule) && rules.includes(textAt(rule, 'id') ?? '')))
  )
}

/** Parses a range into a predicate on epoch seconds; `undefined` if the text is no range. */
function readRange(text: string | null): ((seconds: number) => boolean) | undefined {
  if (text === null) return () => true
  const ends = /^\[([^,]*),([^,]*)\]$/.exec(text)?.slice(1)
  if (ends === undefined || new Set(ends.filter(isAbsolute).map((end) => end.length)).size > 1)
    return undefined
  const [from, to] = ends.map((end) => (end === '' ? undefined : Math.floor(readTime(end) / 1000)))
  if (Number.isNaN(from) || Number.isNaN(to)) return undefined
  return (seconds) => seconds >= (from ?? -Infinity) && seconds <= (to ?? Infinity)
}

const isAbsolute = (end: string): boolean => /^\d{4}/.test(end)

const unitSeconds: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
  ['w', 604_800],
  ['M', 2_592_000],
  ['y', 31_536_000],
])

/** Epoch milliseconds; NaN if the text is neither an absolute nor a relative time. */
function readTime(end: string): number {
  if (isAbsolute(end)) return Date.parse(end)
  const [, count, unit = ''] = /^-(\d+)([a-zA-Z])$/.exec(end) ?? []
  return Date.now() - Number(count) * (unitSeconds.get(unit) ?? Number.NaN) * 1000
}
