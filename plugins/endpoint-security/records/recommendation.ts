import { decode } from '../lists/decode.ts'
import { flagOrNull, integerOrNull, numberOrNull, record, textOrNull, texts, word } from '../lists/shapes.ts'

/** https://learn.microsoft.com/en-us/defender-endpoint/api/recommendation */
export const recommendationSchema = record({
  id: { type: 'string', description: 'e.g. va-_-microsoft-_-windows_10' },
  productName: textOrNull,
  recommendationName: textOrNull,
  weaknesses: integerOrNull,
  vendor: textOrNull,
  recommendedVersion: textOrNull,
  recommendationCategory: textOrNull,
  subCategory: textOrNull,
  severityScore: numberOrNull,
  publicExploit: flagOrNull,
  activeAlert: flagOrNull,
  associatedThreats: texts,
  remediationType: textOrNull,
  status: word('Active, Exception'),
  configScoreImpact: numberOrNull,
  exposureImpact: numberOrNull,
  totalMachineCount: integerOrNull,
  exposedMachinesCount: integerOrNull,
  nonProductivityImpactedAssets: integerOrNull,
  relatedComponent: textOrNull,
})

export const decodeRecommendation = (value: unknown) => decode(recommendationSchema, value, 'recommendation')
