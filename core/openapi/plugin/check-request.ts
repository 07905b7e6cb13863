import type { JsonObject } from '../../plugin/index.ts'
import type { ApiDocument } from '../document/api-document.ts'
import type { ApiOperation } from '../document/operations.ts'
import { SchemaReader } from '../schema/flatten-schema.ts'
import { answerOf } from './output.ts'
import { hasSchemes, securityOf } from './credentials.ts'
import { planParameters } from './parameters.ts'
import { SkillPlan, template } from './skill-plan.ts'

/** The request that tests the credentials, with a note if it was guessed. */
export interface PlannedCheck {
  readonly written: JsonObject
  readonly note: string | undefined
}

/** Paths and ids of endpoints that return the caller's identity, best first. */
const identities: readonly RegExp[] = [
  /(^|[/_.-])(me|myself|whoami|self|current[_-]?user)$/i,
  /(auth[._]?test|verify|validate|tokens?\/current|introspect)$/i,
  /^(\/api)?(\/v\d+)?\/(user|account|profile)$/i,
  /\/(ping|status|health|version|info)$/i,
]
const maxTried = 20_000

/**
 * Chooses a read request that needs credentials but no input: preferably one that returns the caller's
 * identity, else one of the chosen operations, else any.
 */
export function planCheck(
  document: ApiDocument,
  all: readonly ApiOperation[],
  chosen: readonly ApiOperation[],
): PlannedCheck {
  const simple = (operation: ApiOperation) => operation.method === 'get' && isSimple(document, operation)
  const tried = all.slice(0, maxTried)
  for (const pattern of identities) {
    const found = tried
      .filter(({ path, id }) => pattern.test(path) || pattern.test(id))
      .toSorted((a, b) => a.path.length - b.path.length)
      .find(simple)
    if (found !== undefined) return { written: requestOf(document, found), note: undefined }
  }
  const found = chosen.find(simple) ?? tried.find(simple)
  if (found === undefined)
    return {
      written: { get: '/' },
      note: 'The document has no request that proves the credentials without an input: change `check`.',
    }
  const note = `The credentials are tested with \`GET ${found.path}\`: choose a cheaper request if there is one.`
  return { written: requestOf(document, found), note }
}

function isSimple(document: ApiDocument, operation: ApiOperation): boolean {
  if (!/^(?:\/[\w~-][\w.~-]*)+$/.test(operation.path)) return false
  const security = securityOf(document, operation)
  const isOpen =
    security.some((schemes) => schemes.length === 0) || (security.length === 0 && hasSchemes(document))
  return !isOpen && requiredOnly(document, operation).plan.inputs.length === 0
}

/** The request of an operation with only its required parts. */
function requiredOnly(document: ApiDocument, operation: ApiOperation) {
  const plan = new SkillPlan(new SchemaReader(document), operation, 0)
  return { plan, request: planParameters(plan, new Set()) }
}

const accountNames = [
  'email',
  'login',
  'username',
  'user_name',
  'displayName',
  'display_name',
  'user',
  'name',
]

function requestOf(document: ApiDocument, operation: ApiOperation): JsonObject {
  const { plan, request } = requiredOnly(document, operation)
  const { body } = answerOf(plan)
  const properties = body && plan.reader.flatten(body).properties
  const name = accountNames.find((each) => {
    const inner = properties?.get(each)
    return inner !== undefined && plan.reader.flatten(inner).types.join() === 'string'
  })
  const { query, headers } = request
  return {
    get: operation.path,
    ...(Object.keys(query).length > 0 && { query }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(name !== undefined && { account: template(`response.body.?${name}`) }),
  }
}
