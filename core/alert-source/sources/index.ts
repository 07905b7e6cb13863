import type { AlertSource } from '../alert-source.ts'
import { cloudSources } from './cloud.ts'
import { endpointSources } from './endpoint.ts'
import { identitySources } from './identity.ts'
import { mailSources } from './mail.ts'
import { networkSources } from './network.ts'
import { saasSources } from './saas.ts'
import { siemSources } from './siem.ts'

/** Products whose alerts are recognized. The first match counts, so the order matters where shapes overlap. */
export const alertSources: readonly AlertSource[] = [
  ...cloudSources,
  ...endpointSources,
  ...identitySources,
  ...mailSources,
  ...networkSources,
  ...saasSources,
  ...siemSources,
]

/** Common names of fields, for alerts of no known product. No id and no observables: those must not be guessed. */
export const unknownSource: Omit<AlertSource, 'sends'> = {
  name: 'unknown',
  title: 'Unknown product',
  when: {},
  titles: [
    'title',
    'alert.title',
    'alert_name',
    'alertName',
    'rule.name',
    'rule_name',
    'ruleName',
    'signature',
    'detection',
    'summary',
    'subject',
    'message',
    'name',
    'alert',
  ],
  severity: {
    at: [
      'severity',
      'alert.severity',
      'alert_severity',
      'severity_label',
      'rule.severity',
      'priority',
      'level',
      'risk_level',
    ],
  },
  times: ['occurred_at', 'event_time', 'timestamp', '@timestamp', 'time', 'at', 'created_at', 'createdAt'],
}
