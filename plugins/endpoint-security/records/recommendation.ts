import { decodeRecord } from '../lists/decode.ts'
import {
  flagOrNull,
  integerOrNull,
  nullableNumber,
  recordSchema,
  nullableText,
  texts,
  word,
} from '../lists/shapes.ts'

/** https://learn.microsoft.com/en-us/defender-endpoint/api/recommendation */
export const recommendationSchema = recordSchema({
  id: { type: 'string', description: 'e.g. va-_-microsoft-_-windows_10' },
  productName: nullableText,
  recommendationName: nullableText,
  weaknesses: integerOrNull,
  vendor: nullableText,
  recommendedVersion: nullableText,
  recommendationCategory: nullableText,
  subCategory: nullableText,
  severityScore: nullableNumber,
  publicExploit: flagOrNull,
  activeAlert: flagOrNull,
  associatedThreats: texts,
  remediationType: nullableText,
  status: word('Active, Exception'),
  configScoreImpact: nullableNumber,
  exposureImpact: nullableNumber,
  totalMachineCount: integerOrNull,
  exposedMachinesCount: integerOrNull,
  nonProductivityImpactedAssets: integerOrNull,
  relatedComponent: nullableText,
})

export const decodeRecommendation = (value: unknown) =>
  decodeRecord(recommendationSchema, value, 'recommendation')
