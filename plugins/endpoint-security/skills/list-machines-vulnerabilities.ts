import { defineSkill, leftOutProperties } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { limit, textFilter, truncated, words } from '../lists/filter-fields.ts'
import { permissions } from '../permissions.ts'
import { readList } from '../lists/read-list.ts'
import { decodeMachineVulnerability, machineVulnerabilitySchema } from '../records/vulnerability.ts'

export const listMachinesVulnerabilities = defineSkill({
  name: 'list_machines_vulnerabilities',
  title: 'List Machines Vulnerabilities',
  description:
    'Lists vulnerabilities by machine, with the affected product and the fix. All given filters must match.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-all-vulnerabilities-by-machines',
  permissions: [permissions.list_machines_vulnerabilities[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      cveId: textFilter('The CVE id.'),
      machineId: textFilter('Id of the machine.'),
      severity: words('Low', 'Medium', 'High', 'Critical'),
      productName: textFilter('e.g. edge_chromium-based.'),
      productVendor: textFilter('e.g. microsoft.'),
      productVersion: textFilter('e.g. 81.0.416.77.'),
      fixingKbId: textFilter('Number of the update that fixes it.'),
      id: textFilter('Id of the finding.'),
      limit,
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['findings', 'truncated', 'unreadable'],
    properties: {
      findings: { type: 'array', items: machineVulnerabilitySchema },
      truncated,
      ...leftOutProperties,
    },
  },
  examples: [
    {
      title: 'The machines that have one vulnerability',
      input: { cveId: 'CVE-2020-6494' },
      output: {
        findings: [
          {
            id: '5afa3afc92a7c63d4b70129e0a6f33f63a427e21-_-CVE-2020-6494-_-microsoft-_-edge_chromium-based-_-81.0.416.77-_-',
            cveId: 'CVE-2020-6494',
            machineId: '5afa3afc92a7c63d4b70129e0a6f33f63a427e21',
            fixingKbId: null,
            productName: 'edge_chromium-based',
            productVendor: 'microsoft',
            productVersion: '81.0.416.77',
            severity: 'Low',
          },
        ],
        truncated: false,
        unreadable: 0,
      },
    },
  ],
  async run({ limit = 100, ...filter }, { http }) {
    const { items, ...rest } = await readList(http, {
      path: '/api/vulnerabilities/machinesVulnerabilities',
      needs: permissions.list_machines_vulnerabilities,
      decode: decodeMachineVulnerability,
      filter,
      limit,
    })
    return { findings: items, ...rest }
  },
})
