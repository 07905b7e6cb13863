import { decode } from '../lists/decode.ts'
import { flagOrNull, record, textOrNull, texts, timeOrNull, word } from '../lists/shapes.ts'

export const indicatorTypes = [
  'FileSha1',
  'FileMd5',
  'CertificateThumbprint',
  'FileSha256',
  'IpAddress',
  'DomainName',
  'Url',
] as const

/** Alert and AlertAndBlock are older names that are still taken. */
export const indicatorActions = [
  'Alert',
  'Warn',
  'Block',
  'Audit',
  'BlockAndRemediate',
  'AlertAndBlock',
  'Allowed',
] as const

export const indicatorSeverities = ['Informational', 'Low', 'Medium', 'High'] as const

/** https://learn.microsoft.com/en-us/defender-endpoint/api/ti-indicator */
export const indicatorSchema = record({
  id: { type: 'string' },
  indicatorValue: textOrNull,
  indicatorType: word(indicatorTypes.join(', ')),
  action: word(indicatorActions.join(', ')),
  application: textOrNull,
  source: textOrNull,
  sourceType: word('User, AadApp'),
  title: textOrNull,
  description: textOrNull,
  severity: word('Informational, Low, Medium, High'),
  recommendedActions: textOrNull,
  creationTimeDateTimeUtc: timeOrNull,
  createdBy: textOrNull,
  expirationTime: timeOrNull,
  lastUpdateTime: timeOrNull,
  lastUpdatedBy: textOrNull,
  rbacGroupNames: texts,
  generateAlert: flagOrNull,
  educateUrl: textOrNull,
})

export const decodeIndicator = (value: unknown) => decode(indicatorSchema, value, 'indicator')
