import { objectsAt, textAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'
import { server } from '../examples/machine.ts'
import { failure } from './answer.ts'
import { endpointFixture } from './data/fixture.ts'
import { linuxHost } from './data/machines.ts'
import { sighted, sightingTables } from './data/sightings.ts'

const literals = /"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'/g

/** The result for queries that summarize by machine. */
const byMachine = {
  Stats: {},
  Schema: [
    { Name: 'DeviceName', Type: 'String' },
    { Name: 'Seen', Type: 'DateTime' },
  ],
  Results: [server, linuxHost].map(({ computerDnsName, lastSeen }) => ({
    DeviceName: computerDnsName,
    Seen: lastSeen,
  })),
}

/** Rows of sightings. */
const sightingSchema = [
  { Name: 'DeviceName', Type: 'String' },
  { Name: 'DeviceId', Type: 'String' },
  { Name: 'Seen', Type: 'DateTime' },
]

/**
 * POST `/api/advancedqueries/run`; not an interpreter of KQL. Process queries return one of two fixed
 * results, the second for queries that summarize by machine name. Queries of other tables return the machines
 * that have seen one of the query's string literals. `take` is honoured.
 */
export function runQuery(body: unknown): SandboxReply {
  const query = textAt(body, 'Query')
  if (query === null) return { status: 400, json: endpointFixture('error-400-invalid-request-body') }
  const code = query.replace(literals, 'x')
  if (/["']/.test(code)) return failure(400, 'BadRequest', 'Syntax error: a string literal is not terminated')
  const [, table] = /^(?:let\s+\w+\s*=[^;]*;\s*)*(\w+)/.exec(code) ?? []
  const [, most] = /\|\s*(?:take|limit)\s+(\d+)/.exec(code) ?? []
  const limited = (rows: readonly JsonObject[]) => rows.slice(0, Number(most ?? Infinity))
  if (table !== undefined && sightingTables.has(table)) {
    const texts = (query.match(literals) ?? []).map((literal) => literal.slice(1, -1))
    return { json: { Stats: {}, Schema: sightingSchema, Results: limited(sighted(table, texts)) } }
  }
  if (table !== 'DeviceProcessEvents') {
    return failure(
      400,
      'BadRequest',
      `'take' operator: Failed to resolve table or column expression named '${table}'`,
    )
  }
  const isByMachine = /\|\s*summarize\s[^|]*\bby\s+DeviceName\b/.test(code)
  const answer = isByMachine ? byMachine : (endpointFixture('advanced-query-result') as JsonObject)
  return { json: { ...answer, Results: limited(objectsAt(answer, 'Results')) } }
}
