import {
  ConnectionError,
  SkillError,
  textAt,
  valueAt,
  type HttpResponse,
  type TocsinError,
} from 'tocsin/plugin'
import type { Permission } from './permissions.ts'

/** Statuses whose body says more than the status. */
export const vendorRefusals = [400, 403, 404] as const

/** The error in `{"error": {"code", "message", "target"}}`. Codes are stable, messages are not. */
export interface VendorError {
  readonly code: string
  readonly message: string
  /** The vendor's request id, for its support. */
  readonly target: string | null
}

/** Undefined if the body is not an error of the vendor, for example if it is empty or HTML. Never throws. */
export function vendorError(response: HttpResponse): VendorError | undefined {
  try {
    const error = valueAt(response.json(), 'error')
    const code = textAt(error, 'code')
    if (code === null || !/^[A-Za-z]{1,60}$/.test(code)) return undefined
    return { code, message: oneLine(textAt(error, 'message') ?? ''), target: textAt(error, 'target') }
  } catch {
    return undefined
  }
}

/** Whether the vendor itself reports a missing resource, rather than a gateway or a wrong base URL. */
export function saysNotFound(response: HttpResponse): boolean {
  const code = response.status === 404 ? vendorError(response)?.code : undefined
  return code === 'NotFound' || code === 'ResourceNotFound'
}

/** The error for one of {@link vendorRefusals}, by the vendor's code. */
export function refusal(what: string, response: HttpResponse, needs: Permission): TocsinError {
  const { status } = response
  const said = vendorError(response)
  const message = `${what} answered ${status}${said === undefined ? ' without a reason' : ` ${said.code}: ${said.message}`}`
  const details = { status, error: said?.code ?? null, target: said?.target ?? null }
  if (status === 403) {
    return new ConnectionError('http_403', message, { hint: forbiddenHint(said?.code, needs), details })
  }
  const hint = said === undefined ? 'check endpoint_api_url: it ends before /api' : known[said.code]
  const code = said === undefined || hint === undefined ? `http_${status}` : snakeCase(said.code)
  return new SkillError(code, message, { hint: hint ?? unknownHint, details })
}

/** A disabled feature looks like a missing permission. */
function forbiddenHint(code: string | undefined, needs: Permission): string {
  const permission = needs.join(' or ')
  return code === 'DisabledFeature'
    ? `turn the feature on in the settings of the endpoint security portal; the application needs ${permission}`
    : `grant the application the permission ${permission}, with admin consent, and check that it has access to the machine’s group`
}

const unknownHint = 'check the inputs of the step; see the vendor’s error in the message'

/** Hints by the vendor's code. */
const known: Readonly<Record<string, string>> = {
  ODataError: 'the vendor does not support this filter: remove the fields added last',
  InvalidInput: 'a value was rejected: check the inputs of the step',
  InvalidRequestBody: 'a value was rejected: check the inputs of the step',
  MissingRequiredParameter: 'a value is missing: check the inputs of the step',
  InvalidHashValue: 'the value is not a hash of the type in indicatorType',
  InvalidDomainName: 'the value is not a domain name',
  InvalidIpAddress: 'the value is not a single IP address; ranges are not supported',
  InvalidUrl: 'the value is not an absolute address',
  OsPlatformNotSupported: 'the machine’s operating system does not support this action',
  ClientVersionNotSupported: 'the agent on the machine is too old for this action: update it',
  ActiveRequestAlreadyExists: 'the machine has a pending action of this type: wait for it to end',
  NotFound: 'it may have been deleted, or the application may not see it; find it with a list skill',
  ResourceNotFound: 'it may have been deleted, or the application may not see it; find it with a list skill',
}

const snakeCase = (code: string): string =>
  code
    .replace('OData', 'Odata')
    .replace(/[A-Z]/g, (letter, index) => `${index === 0 ? '' : '_'}${letter.toLowerCase()}`)

/** Shortens text from outside for use in a message. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}
