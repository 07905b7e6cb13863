import {
  collectPages,
  countAt,
  readable,
  SkillError,
  textAt,
  valueAt,
  type CollectedPages,
  type HttpClient,
  type JsonObject,
  type LeftOut,
  type QueryValue,
} from 'tocsin/plugin'
import {
  hasSeverity,
  idOf,
  newestFirst,
  type FoundIncidents,
  type Incident,
  type IncidentQuestion,
} from './incident.ts'
import { timeText } from './time-text.ts'
import { checkSuccess } from './vendor-envelope.ts'
import { isInList, statusLists, vendorWord, type StatusList } from './vendor-status.ts'

/** The vendor's maximum page size. */
const pageSize = 100

/**
 * GET `/api/company/{company_id}/incidents/v4`, page by page, newest first; once for each group of statuses,
 * since the vendor accepts only one.
 */
export async function fetchAlarms(
  http: HttpClient,
  companyId: string,
  question: IncidentQuestion,
): Promise<FoundIncidents> {
  const lists: FoundList[] = []
  for (const list of statusLists(question.statuses))
    lists.push(await fetchList(http, companyId, question, list))
  const unreadable = lists.find(({ failure }) => failure !== undefined)?.failure
  const nothingWasRead = lists.every(({ read, leftOut }) => read === (leftOut.unreadable ?? 0))
  if (unreadable !== undefined && nothingWasRead) throw unreadable
  // An incident whose status changed between the pages was read twice; the later reading counts.
  const byId = new Map(lists.flatMap(({ items }) => items).map((incident) => [incident.id, incident]))
  const incidents = lists.length === 1 ? [...byId.values()] : [...byId.values()].toSorted(newestFirst)
  return {
    incidents: incidents.slice(0, question.limit),
    read: sum(lists.map(({ read }) => read)) ?? 0,
    total: sum(lists.map(({ total }) => total)),
    complete: lists.every(({ complete }) => complete) && incidents.length <= question.limit,
    leftOut: together(lists.map(({ leftOut }) => leftOut)),
  }
}

function together(all: readonly LeftOut[]): LeftOut {
  const reasons = new Set(all.flatMap(({ unreadable_why }) => unreadable_why ?? []))
  const unreadable = all.reduce((count, one) => count + (one.unreadable ?? 0), 0)
  return unreadable === 0 ? {} : { unreadable, unreadable_why: [...reasons] }
}

interface FoundList extends CollectedPages<Incident> {
  /** Why none of the existing incidents can be read. */
  readonly failure?: SkillError
}

/** An unreadable list is reported and skipped, so that the other groups still count. */
async function fetchList(
  http: HttpClient,
  companyId: string,
  { fromMs, toMs, severities, limit }: IncidentQuestion,
  list: StatusList,
): Promise<FoundList> {
  const filters = {
    // The vendor's times are whole seconds.
    start_date: fromMs === undefined ? undefined : Math.floor(fromMs / 1000),
    end_date: toMs === undefined ? undefined : Math.ceil(toMs / 1000),
    status: list.group,
    severities: severities.map(vendorWord),
  }
  const filtered = list.words !== undefined || severities.length > 0
  const failures: SkillError[] = []
  let [read, said]: [number, number | null] = [0, null]
  const collecting = collectPages<Incident>({
    limit,
    pageSize,
    idOf: (incident) => incident.id,
    // Severities are filtered here: the vendor does not document how to send several.
    keep: filtered ? (incident) => isInList(incident, list) && hasSeverity(incident, severities) : undefined,
    // Ignores the number of pages, which may assume another page size; the number of records is reliable.
    fetch: async ({ number, size }) => {
      const { alarms, total } = await readAlarms(http, companyId, { ...filters, page: number, limit: size })
      const items = alarms.map(readable(decodeAlarm))
      failures.push(...items.filter((item) => item instanceof SkillError))
      read += items.length
      said = total ?? said
      return { items, total }
    },
  })
  try {
    return await collecting
  } catch (error) {
    const failure = failures.find((one) => one === error)
    if (failure === undefined) throw error
    const why = [...new Set(failures.map(({ message }) => message))]
    const leftOut = { unreadable: failures.length, unreadable_why: why }
    return { items: [], complete: false, read, total: said, leftOut, failure }
  }
}

/** Null if one of them is unknown. */
function sum(numbers: readonly (number | null)[]): number | null {
  return numbers.reduce((all, one) => (all === null || one === null ? null : all + one), 0)
}

interface AlarmPage {
  readonly alarms: readonly unknown[]
  readonly total: number | null
}

/**
 * One page. An empty one is `data: []`, any other `data: { alarms, total_records }`; a plain list was also
 * observed.
 */
export async function readAlarms(
  http: HttpClient,
  companyId: string,
  query: Readonly<Record<string, QueryValue>>,
): Promise<AlarmPage> {
  const path = ['api', 'company', companyId, 'incidents', 'v4']
  const response = await http.get(path, {
    query: { ...query, include_total_records: true, include_alarm_details: true },
  })
  const data = valueAt(checkSuccess(response.json()), 'data')
  const alarms = Array.isArray(data) ? data : valueAt(data, 'alarms')
  if (!Array.isArray(alarms)) {
    throw new SkillError('bad_response', "the platform's answer has no list of alarms", {
      hint: 'check base_url and contract of the connection',
    })
  }
  return { alarms, total: countAt(data, 'total_records') }
}

function decodeAlarm(alarm: JsonObject): Incident {
  const text = textAt(alarm, 'alarm_text')
  return {
    id: idOf(alarm, 'alarm_id'),
    title: textAt(valueAt(alarm, 'alarm_type_details'), 'alarm_generic_title') ?? firstLine(text),
    severity: titleCase(textAt(alarm, 'alarm_risk_level')),
    status: titleCase(textAt(alarm, 'status')),
    created_at: timeText(textAt(alarm, 'date')),
    raw: alarm,
  }
}

const firstLine = (text: string | null): string | null => text?.trim().split(/[\r\n]/, 1)[0] || null

/** Converts `ON_HOLD` to `On Hold`, the other contract's spelling. */
function titleCase(words: string | null): string | null {
  if (words === null) return null
  const parts = words.split(/[_\s]+/).filter((part) => part !== '')
  return parts.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase()).join(' ')
}
