import type { Collection } from './collection.ts'

const names = (text: string): readonly string[] => text.split(' ')

/** The lists of the API: filterable fields and maximum page sizes. */
export const collections = {
  alerts: {
    kind: 'Alerts',
    fields: names(
      'alertCreationTime lastUpdateTime incidentId InvestigationId id assignedTo detectionSource lastEventTime status severity ' +
        'category',
    ),
    mostTop: 10_000,
  },
  machines: {
    kind: 'Machines',
    fields: names(
      'computerDnsName id version deviceValue aadDeviceId machineTags lastSeen exposureLevel onboardingStatus lastIpAddress ' +
        'healthStatus osPlatform riskScore rbacGroupId',
    ),
    mostTop: 10_000,
  },
  actions: {
    kind: 'MachineActions',
    fields: names('id status machineId type requestor creationDateTimeUtc'),
    mostTop: 10_000,
  },
  indicators: {
    kind: 'Indicators',
    fields: names(
      'application createdByDisplayName expirationTime generateAlert title rbacGroupNames rbacGroupIds indicatorValue ' +
        'indicatorType creationTimeDateTimeUtc createdBy action severity',
    ),
    mostTop: 10_000,
  },
  vulnerabilities: {
    kind: 'Vulnerabilities',
    fields: names('id name description cvssV3 publishedOn severity updatedOn'),
    mostTop: 8_000,
  },
  machinesVulnerabilities: {
    kind: 'PublicAssetVulnerabilityDto',
    fields: names('id cveId machineId fixingKbId productName productVersion severity productVendor'),
    mostTop: 10_000,
  },
  recommendations: {
    kind: 'Recommendations',
    fields: names(
      'id productName vendor recommendedVersion recommendationCategory subCategory severityScore remediationType ' +
        'recommendedProgram recommendedVendor status',
    ),
    mostTop: 10_000,
  },
} as const satisfies Readonly<Record<string, Collection>>
