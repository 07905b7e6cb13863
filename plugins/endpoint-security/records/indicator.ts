import { decodeRecord } from '../lists/decode.ts'
import { flagOrNull, recordSchema, nullableText, texts, nullableTime, word } from '../lists/shapes.ts'

export const indicatorTypes = [
  'FileSha1',
  'FileMd5',
  'CertificateThumbprint',
  'FileSha256',
  'IpAddress',
  'DomainName',
  'Url',
] as const

/** Alert and AlertAndBlock are older names that the API still accepts. */
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
export const indicatorSchema = recordSchema({
  id: { type: 'string' },
  indicatorValue: nullableText,
  indicatorType: word(indicatorTypes.join(', ')),
  action: word(indicatorActions.join(', ')),
  application: nullableText,
  source: nullableText,
  sourceType: word('User, AadApp'),
  title: nullableText,
  description: nullableText,
  severity: word('Informational, Low, Medium, High'),
  recommendedActions: nullableText,
  creationTimeDateTimeUtc: nullableTime,
  createdBy: nullableText,
  expirationTime: nullableTime,
  lastUpdateTime: nullableTime,
  lastUpdatedBy: nullableText,
  rbacGroupNames: texts,
  generateAlert: flagOrNull,
  educateUrl: nullableText,
})

export const decodeIndicator = (value: unknown) => decodeRecord(indicatorSchema, value, 'indicator')
