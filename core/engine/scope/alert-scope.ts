import type { Alert } from '../../domain/alert.ts'
import type { Organization } from '../../domain/organization.ts'
import { parseJson } from '../../common/json.ts'

/** What expressions see as `alert`. */
export interface AlertScope {
  readonly id: string
  readonly uuid: string
  readonly type: string | null
  readonly provider: string
  readonly content: string
  /** Epoch milliseconds. */
  readonly created_at: number
  readonly created_at_source: number | bigint | null
  /** The content, parsed where it is JSON of bearable depth, else null. */
  readonly data: unknown
}

/** The content is parsed when `data` is first read, and once. */
export function alertScope(alert: Alert): AlertScope {
  let parsed: { readonly data: unknown } | undefined
  return {
    id: alert.id,
    uuid: alert.uuid,
    type: alert.type,
    provider: alert.provider,
    content: alert.content,
    created_at: alert.createdAt,
    created_at_source: sourceTime(alert.createdAtSource),
    get data() {
      parsed ??= { data: parseContent(alert.content) }
      return parsed.data
    },
  }
}

export function organizationScope(organization: Organization): { code: string; name: string } {
  return { code: organization.code, name: organization.name }
}

function parseContent(content: string): unknown {
  try {
    return parseJson(content)
  } catch {
    return null
  }
}

function sourceTime(value: bigint | null): number | bigint | null {
  if (value === null) return null
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
