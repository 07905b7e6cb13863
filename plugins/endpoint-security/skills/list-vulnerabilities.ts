import { defineSkill, leftOutProperties } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { limit, numbers, textFilter, times, truncated, words } from '../lists/filter-fields.ts'
import { permissions } from '../permissions.ts'
import { readList } from '../lists/read-list.ts'
import { decodeVulnerability, vulnerabilitySchema } from '../records/vulnerability.ts'

export const listVulnerabilities = defineSkill({
  name: 'list_vulnerabilities',
  title: 'List Vulnerabilities',
  description:
    'Lists the organization’s vulnerabilities, with the number of machines each exposes. All filters that are given ' +
    'must hold.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-all-vulnerabilities',
  permissions: [permissions.list_vulnerabilities[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: textFilter('The CVE id.'),
      name: textFilter('Its name, mostly the CVE id.'),
      description: textFilter('Its full description.'),
      severity: words('Low', 'Medium', 'High', 'Critical'),
      cvssV3: numbers('Its CVSS score, 0 to 10.'),
      publishedOn: times('When it was published.'),
      updatedOn: times('When it was last changed.'),
      limit,
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['vulnerabilities', 'truncated', 'unreadable'],
    properties: {
      vulnerabilities: { type: 'array', items: vulnerabilitySchema },
      truncated,
      ...leftOutProperties,
    },
  },
  examples: [
    {
      title: 'A vulnerability that exposes machines',
      input: { id: 'CVE-2019-0608' },
      output: {
        vulnerabilities: [
          {
            id: 'CVE-2019-0608',
            name: 'CVE-2019-0608',
            description:
              'A spoofing vulnerability exists when Microsoft Browsers does not properly parse HTTP content.',
            severity: 'Medium',
            cvssV3: 4.3,
            cvssVector: 'CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H/E:U/RL:O/RC:C',
            exposedMachines: 4,
            publishedOn: '2019-10-08T00:00:00Z',
            updatedOn: '2019-12-16T16:20:00Z',
            publicExploit: false,
            exploitVerified: false,
            exploitInKit: false,
            exploitTypes: [],
            exploitUris: [],
            CveSupportability: 'supported',
          },
        ],
        truncated: false,
        unreadable: 0,
      },
    },
  ],
  async run({ limit = 100, ...filter }, { http }) {
    const { items, ...rest } = await readList(http, {
      path: '/api/Vulnerabilities',
      needs: permissions.list_vulnerabilities,
      decode: decodeVulnerability,
      filter,
      limit,
    })
    return { vulnerabilities: items, ...rest }
  },
})
