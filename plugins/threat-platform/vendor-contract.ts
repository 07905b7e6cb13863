import {
  collectPages,
  isObject,
  numberAt,
  SkillError,
  textAt,
  valueAt,
  type HttpClient,
  type JsonObject,
  type QueryValue,
} from 'tocsin/plugin'
import { idOf, isWanted, type FoundIncidents, type Incident, type IncidentQuestion } from './incident.ts'
import { timeText } from './time-text.ts'
import { checkSuccess } from './vendor-envelope.ts'

/** The vendor gives no more at once. */
const pageSize = 100

/** GET `/api/company/{company_id}/incidents/v4`, page after page, newest first. */
export async function fetchAlarms(
  http: HttpClient,
  companyId: string,
  question: IncidentQuestion,
): Promise<FoundIncidents> {
  const { fromMs, toMs, statuses, severities, limit } = question
  const filters = {
    // Whole seconds are all that the vendor knows.
    start_date: fromMs === undefined ? undefined : Math.floor(fromMs / 1000),
    end_date: toMs === undefined ? undefined : Math.ceil(toMs / 1000),
    status: statuses.map(word),
    severities: severities.map(word),
  }
  // Compared here as well: the vendor does not say how a list of words has to be written.
  const filtered = statuses.length + severities.length > 0
  const { items, ...found } = await collectPages<Incident>({
    limit,
    pageSize,
    idOf: (incident) => incident.id,
    keep: filtered ? (incident) => isWanted(incident, question) : undefined,
    // The number of pages, which is not looked at, may be counted with another size of page; the number of records is not.
    fetch: async ({ number, size }) => {
      const { alarms, total } = await readAlarms(http, companyId, { ...filters, page: number, limit: size })
      return { items: alarms.map(decodeAlarm), total }
    },
  })
  return { incidents: items, ...found }
}

interface AlarmPage {
  readonly alarms: readonly JsonObject[]
  readonly total: number | null
}

/** One page. An empty one is `data: []`, any other `data: { alarms, total_records }`, and a plain list has been seen too. */
export async function readAlarms(
  http: HttpClient,
  companyId: string,
  query: Readonly<Record<string, QueryValue>>,
): Promise<AlarmPage> {
  const path = `/api/company/${encodeURIComponent(companyId)}/incidents/v4`
  const response = await http.get(path, {
    query: { ...query, include_total_records: true, include_alarm_details: true },
  })
  const data = valueAt(checkSuccess(response.json()), 'data')
  const alarms = Array.isArray(data) ? data : valueAt(data, 'alarms')
  if (!Array.isArray(alarms) || !alarms.every(isObject)) {
    throw new SkillError('bad_response', "the platform's answer has no list of alarms", {
      hint: 'check base_url and contract of the connection',
    })
  }
  return { alarms, total: numberAt(data, 'total_records') }
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

/** `ON_HOLD` as `On Hold`: as the words of the other contract look. */
function titleCase(words: string | null): string | null {
  if (words === null) return null
  const parts = words.split(/[_\s]+/).filter((part) => part !== '')
  return parts.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase()).join(' ')
}

/** `On Hold` as `ON_HOLD`. */
const word = (text: string): string =>
  text
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_')
