import type { Chapter } from './lessons/lesson.ts'
import { audit } from './lessons/audit.ts'
import { inboundData } from './lessons/inbound-data.ts'
import { keys } from './lessons/keys.ts'
import { outboundRequests } from './lessons/outbound-requests.ts'
import { secrets } from './lessons/secrets.ts'
import { sensitiveValues } from './lessons/sensitive-values.ts'

/** The promises of docs/security.md, and the tests that would fail if one were broken: a file per chapter. */
export const chapters: readonly Chapter[] = [
  keys,
  secrets,
  sensitiveValues,
  outboundRequests,
  inboundData,
  audit,
]
