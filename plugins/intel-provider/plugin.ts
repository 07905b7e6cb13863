import { definePlugin } from 'tocsin/plugin'
import { connection } from './connection.ts'
import { getEnrichment } from './skills/get-enrichment.ts'
import { getPlaybookAlerts } from './skills/get-playbook-alerts.ts'
import { listIntelAlerts } from './skills/list-alerts.ts'

export default definePlugin({
  name: 'intel_provider',
  title: 'Threat-intelligence provider',
  description:
    'Looks up what Recorded Future knows about addresses, domains, URLs, files, vulnerabilities and companies.',
  connection,
  skills: [getEnrichment, listIntelAlerts, getPlaybookAlerts],
})
