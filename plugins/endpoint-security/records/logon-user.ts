import { decode } from '../lists/decode.ts'
import { flagOrNull, record, textOrNull, timeOrNull } from '../lists/shapes.ts'

/** https://learn.microsoft.com/en-us/defender-endpoint/api/get-machine-log-on-users */
export const logonUserSchema = record({
  id: { type: 'string', description: 'Domain and account, e.g. contoso\\user1.' },
  accountName: textOrNull,
  accountDomain: textOrNull,
  firstSeen: timeOrNull,
  lastSeen: timeOrNull,
  logonTypes: { ...textOrNull, description: 'Separated by commas, e.g. Interactive.' },
  isDomainAdmin: flagOrNull,
  isOnlyNetworkUser: flagOrNull,
})

export const decodeLogonUser = (value: unknown) => decode(logonUserSchema, value, 'user')
