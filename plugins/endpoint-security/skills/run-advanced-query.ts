import { defineSkill, isObject, SkillError, textAt, valueAt } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { withParameters } from '../lists/kql.ts'
import { permissions } from '../permissions.ts'
import { queryRows } from '../lists/query-rows.ts'
import { refusal, vendorRefusals } from '../vendor-error.ts'

const path = '/api/advancedqueries/run'
const scalar = { type: ['string', 'number', 'boolean'], maxLength: 10_000 } as const

export const runAdvancedQuery = defineSkill({
  name: 'run_advanced_query',
  title: 'Run Advanced Query',
  description:
    'Runs a hunting query in KQL over the last 30 days. Pass values from alerts as parameters, never in the text of ' +
    'the query.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/run-advanced-query-api',
  permissions: [permissions.run_advanced_query[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['query'],
    additionalProperties: false,
    properties: {
      query: {
        type: 'string',
        minLength: 1,
        maxLength: 10_000,
        description: 'KQL, because it is code. Limit the rows with take, and the columns with project.',
      },
      parameters: {
        type: 'object',
        default: {},
        maxProperties: 50,
        propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' },
        additionalProperties: {
          type: ['string', 'number', 'boolean', 'array'],
          maxLength: 10_000,
          maxItems: 1000,
          items: scalar,
        },
        description:
          'Values by their names in the query. They are added as let statements with literal values: a list ' +
          'as dynamic([…]), for in (name); a time as text, for todatetime(name).',
      },
      max_rows: {
        type: 'integer',
        minimum: 1,
        maximum: 10_000,
        default: 1000,
        description: 'Maximum rows to return, up to 2 MB in total.',
      },
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['columns', 'rows', 'row_count', 'truncated'],
    properties: {
      columns: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: true,
          required: ['name', 'type'],
          properties: { name: { type: 'string' }, type: { type: ['string', 'null'] } },
        },
      },
      rows: { type: 'array', items: { type: 'object', additionalProperties: true } },
      row_count: {
        type: 'integer',
        description: 'Number of rows that match; the vendor stops at 100,000.',
      },
      truncated: { type: 'boolean', description: 'Some matching rows were left out: narrow the query.' },
      stats: {
        type: 'object',
        additionalProperties: true,
        description: 'The vendor’s figures for the cost of the query, if it reports them.',
      },
    },
  },
  examples: [
    {
      title: 'Processes started by a program',
      input: {
        query:
          'DeviceProcessEvents | where InitiatingProcessFileName =~ starter and FileName =~ "csc.exe" | take 2 ' +
          '| project Timestamp, FileName, InitiatingProcessFileName, DeviceId',
        parameters: { starter: 'powershell.exe' },
      },
      output: {
        columns: [
          { name: 'Timestamp', type: 'DateTime' },
          { name: 'FileName', type: 'String' },
          { name: 'InitiatingProcessFileName', type: 'String' },
          { name: 'DeviceId', type: 'String' },
        ],
        rows: [
          {
            Timestamp: '2020-02-05T01:10:26.2648757Z',
            FileName: 'csc.exe',
            InitiatingProcessFileName: 'powershell.exe',
            DeviceId: '10cbf9182d4e95660362f65cfa67c7731f62fdb3',
          },
          {
            Timestamp: '2020-02-05T01:10:26.5614772Z',
            FileName: 'csc.exe',
            InitiatingProcessFileName: 'powershell.exe',
            DeviceId: '10cbf9182d4e95660362f65cfa67c7731f62fdb3',
          },
        ],
        row_count: 2,
        truncated: false,
        stats: { cpu: 99 },
      },
    },
  ],
  async run({ query, parameters = {}, max_rows = 1000 }, { http }) {
    const json = { Query: withParameters(query, parameters) }
    const response = await http.post(path, { json, accept: vendorRefusals })
    if (response.status >= 400) throw refusal(`POST ${path}`, response, permissions.run_advanced_query)
    const body = response.json()
    const results = valueAt(body, 'Results')
    if (!Array.isArray(results)) throw new SkillError('bad_response', "the response lacks the list 'Results'")
    const columns = valueAt(body, 'Schema')
    const stats = valueAt(body, 'Stats')
    return {
      columns: (Array.isArray(columns) ? columns : []).map(decodeColumn),
      ...queryRows(results, max_rows),
      ...(isObject(stats) && Object.keys(stats).length > 0 ? { stats } : {}),
    }
  },
})

function decodeColumn(column: unknown) {
  const { Name: _name, Type: _type, ...unknown } = isObject(column) ? column : {}
  return { ...unknown, name: textAt(column, 'Name') ?? '', type: textAt(column, 'Type') }
}
