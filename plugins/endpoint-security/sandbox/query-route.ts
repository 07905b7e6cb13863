import { objectsAt, textAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'
import { server } from '../examples/machine.ts'
import { failure } from './answer.ts'
import { fixture } from './fixture.ts'
import { linuxHost } from './machines.ts'

const literals = /"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'/g

/** Of the result that is summed up by machine. */
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

/**
 * POST `/api/advancedqueries/run`: knows one table and two results, one of them for what is summed up by the name of the machine, whatever
 * else is asked, and obeys `take`.
 */
export function runQuery(body: unknown): SandboxReply {
  const query = textAt(body, 'Query')
  if (query === null) return { status: 400, json: fixture('error-400-invalid-request-body') }
  const code = query.replace(literals, 'x')
  if (/["']/.test(code)) return failure(400, 'BadRequest', 'Syntax error: a string literal is not terminated')
  const [, table] = /^(?:let\s+\w+\s*=[^;]*;\s*)*(\w+)/.exec(code) ?? []
  if (table !== 'DeviceProcessEvents') {
    return failure(
      400,
      'BadRequest',
      `'take' operator: Failed to resolve table or column expression named '${table}'`,
    )
  }
  const isByMachine = /\|\s*summarize\s[^|]*\bby\s+DeviceName\b/.test(code)
  const answer = isByMachine ? byMachine : (fixture('advanced-query-result') as JsonObject)
  const [, most] = /\|\s*(?:take|limit)\s+(\d+)/.exec(code) ?? []
  return { json: { ...answer, Results: objectsAt(answer, 'Results').slice(0, Number(most ?? Infinity)) } }
}
