import { defineSkill, leftOutProperties } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { limit, textFilter, times, truncated, words } from '../lists/filter-fields.ts'
import { permissions } from '../permissions.ts'
import { readList } from '../lists/read-list.ts'
import {
  decodeIndicator,
  indicatorActions,
  indicatorSchema,
  indicatorSeverities,
  indicatorTypes,
} from '../records/indicator.ts'

export const listIndicators = defineSkill({
  name: 'list_indicators',
  title: 'List Indicators',
  description:
    'Lists the indicators that the tenant blocks, allows or monitors. All given filters must match. With the permission ' +
    'Ti.ReadWrite it returns only the application’s own.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-ti-indicators-collection',
  permissions: [permissions.list_indicators[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      indicatorValue: textFilter('The value itself.'),
      indicatorType: words(...indicatorTypes),
      action: words(...indicatorActions),
      severity: words(...indicatorSeverities),
      title: textFilter('Title of its alerts.'),
      application: textFilter('The application that created it.'),
      createdBy: textFilter('Id of its creator.'),
      createdByDisplayName: textFilter('Name of its creator.'),
      rbacGroupIds: textFilter('Number of a machine group that it applies to.'),
      rbacGroupNames: textFilter('Name of a machine group that it applies to.'),
      creationTimeDateTimeUtc: times('When it was created.'),
      expirationTime: times('When it ends.'),
      limit,
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['indicators', 'truncated', 'unreadable'],
    properties: { indicators: { type: 'array', items: indicatorSchema }, truncated, ...leftOutProperties },
  },
  examples: [
    {
      title: 'A monitored address',
      input: { indicatorValue: '12.13.14.15' },
      output: {
        indicators: [
          {
            id: '995',
            indicatorValue: '12.13.14.15',
            indicatorType: 'IpAddress',
            action: 'Alert',
            application: 'demo-test',
            source: 'TestPrdApp',
            sourceType: 'AadApp',
            title: 'test',
            description: 'test',
            severity: 'Informational',
            recommendedActions: 'test',
            creationTimeDateTimeUtc: '2018-10-24T11:15:35.3688259Z',
            createdBy: '45097602-1234-5678-1234-9f453233e62c',
            expirationTime: '2020-12-12T00:00:00Z',
            lastUpdateTime: '2019-10-24T10:54:23.2009016Z',
            lastUpdatedBy: 'TestPrdApp',
            rbacGroupNames: [],
            generateAlert: null,
            educateUrl: null,
          },
        ],
        truncated: false,
        unreadable: 0,
      },
    },
  ],
  async run({ limit = 100, ...filter }, { http }) {
    const { items, ...rest } = await readList(http, {
      path: '/api/indicators',
      needs: permissions.list_indicators,
      decode: decodeIndicator,
      filter,
      limit,
    })
    return { indicators: items, ...rest }
  },
})
