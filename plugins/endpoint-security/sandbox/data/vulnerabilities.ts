import type { JsonObject } from 'tocsin/plugin'
import { server } from '../../examples/machine.ts'
import { recorded } from './fixture.ts'
import { linuxHost } from './machines.ts'

const logging = {
  id: 'CVE-2021-44228',
  name: 'CVE-2021-44228',
  description: 'Text that is logged may have the Apache Log4j library load and run code from elsewhere.',
  severity: 'Critical',
  cvssV3: 10,
  cvssVector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H',
  exposedMachines: 2,
  publishedOn: '2021-12-10T00:00:00Z',
  updatedOn: '2023-04-03T00:00:00Z',
  publicExploit: true,
  exploitVerified: true,
  exploitInKit: false,
  exploitTypes: ['Remote'],
  exploitUris: [],
  CveSupportability: 'Supported',
}

export const vulnerabilities: readonly JsonObject[] = [
  ...recorded('vulnerabilities-list'),
  ...recorded('vulnerabilities-for-machine'),
  logging,
]

/** Machines by vulnerability. */
export const machinesVulnerabilities: readonly JsonObject[] = [
  ...recorded('machines-vulnerabilities'),
  ...[server, linuxHost].map((machine) => ({
    id: `${machine.id}-_-${logging.id}-_-apache-_-log4j-_-2.14.1-_-`,
    cveId: logging.id,
    machineId: machine.id,
    fixingKbId: null,
    productName: 'log4j',
    productVendor: 'apache',
    productVersion: '2.14.1',
    severity: logging.severity,
  })),
]

export const recommendations: readonly JsonObject[] = [
  ...recorded('recommendations-list'),
  ...recorded('recommendations-for-machine'),
  {
    id: 'va-_-apache-_-log4j',
    productName: 'log4j',
    recommendationName: 'Update Apache Log4j to version 2.17.1',
    weaknesses: 4,
    vendor: 'apache',
    recommendedVersion: '2.17.1',
    recommendationCategory: 'Application',
    subCategory: '',
    severityScore: 10,
    publicExploit: true,
    activeAlert: false,
    associatedThreats: [],
    remediationType: 'Update',
    status: 'Active',
    configScoreImpact: 0,
    exposureImpact: 9.1,
    totalMachineCount: 9,
    exposedMachinesCount: 2,
    nonProductivityImpactedAssets: 0,
    relatedComponent: 'Apache Log4j',
  },
]
