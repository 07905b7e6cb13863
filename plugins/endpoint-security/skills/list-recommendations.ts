import { defineSkill, leftOutProperties } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { limit, numbers, textFilter, truncated } from '../lists/filter-fields.ts'
import { permissions } from '../permissions.ts'
import { readList } from '../lists/read-list.ts'
import { decodeRecommendation, recommendationSchema } from '../records/recommendation.ts'

export const listRecommendations = defineSkill({
  name: 'list_recommendations',
  title: 'List Recommendations',
  description: 'Lists the platform’s recommendations, such as updates. All given filters must match.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-all-recommendations',
  permissions: [permissions.list_recommendations[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: textFilter('Id of the recommendation.'),
      productName: textFilter('e.g. windows_10.'),
      vendor: textFilter('e.g. microsoft.'),
      recommendedVersion: textFilter('Version to change to.'),
      recommendedProgram: textFilter('Program to change to.'),
      recommendedVendor: textFilter('Vendor to change to.'),
      recommendationCategory: textFilter('e.g. Application.'),
      subCategory: textFilter('Part of the category.'),
      remediationType: textFilter('e.g. Update.'),
      status: textFilter('Active or Exception.'),
      severityScore: numbers('Its severity, 0 to 10.'),
      limit,
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['recommendations', 'truncated', 'unreadable'],
    properties: {
      recommendations: { type: 'array', items: recommendationSchema },
      truncated,
      ...leftOutProperties,
    },
  },
  examples: [
    {
      title: 'A recommended update',
      input: { productName: 'windows_10', status: 'Active' },
      output: {
        recommendations: [
          {
            id: 'va-_-microsoft-_-windows_10',
            productName: 'windows_10',
            recommendationName: 'Update Windows 10',
            weaknesses: 397,
            vendor: 'microsoft',
            recommendedVersion: '',
            recommendationCategory: 'Application',
            subCategory: '',
            severityScore: 0,
            publicExploit: true,
            activeAlert: false,
            associatedThreats: [
              '3098b8ef-23b1-46b3-aed4-499e1928f9ed',
              '40c189d5-0330-4654-a816-e48c2b7f9c4b',
            ],
            remediationType: 'Update',
            status: 'Active',
            configScoreImpact: 0,
            exposureImpact: 7.674418604651163,
            totalMachineCount: 37,
            exposedMachinesCount: 7,
            nonProductivityImpactedAssets: 0,
            relatedComponent: 'Windows 10',
          },
        ],
        truncated: false,
        unreadable: 0,
      },
    },
  ],
  async run({ limit = 100, ...filter }, { http }) {
    const { items, ...rest } = await readList(http, {
      path: '/api/recommendations',
      needs: permissions.list_recommendations,
      decode: decodeRecommendation,
      filter,
      limit,
    })
    return { recommendations: items, ...rest }
  },
})
