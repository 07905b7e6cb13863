import { decodeRecord } from '../lists/decode.ts'
import { flagOrNull, recordSchema, nullableText, nullableTime } from '../lists/shapes.ts'

/** https://learn.microsoft.com/en-us/defender-endpoint/api/get-machine-log-on-users */
export const logonUserSchema = recordSchema({
  id: { type: 'string', description: 'Domain and account, e.g. contoso\\user1.' },
  accountName: nullableText,
  accountDomain: nullableText,
  firstSeen: nullableTime,
  lastSeen: nullableTime,
  logonTypes: { ...nullableText, description: 'Separated by commas, e.g. Interactive.' },
  isDomainAdmin: flagOrNull,
  isOnlyNetworkUser: flagOrNull,
})

export const decodeLogonUser = (value: unknown) => decodeRecord(logonUserSchema, value, 'user')
