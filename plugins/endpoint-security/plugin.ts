import { definePlugin } from 'tocsin/plugin'
import { connection } from './connection.ts'
import { collectInvestigationPackage } from './skills/collect-investigation-package.ts'
import { createIndicator } from './skills/create-indicator.ts'
import { deleteIndicator } from './skills/delete-indicator.ts'
import { getAlert } from './skills/get-alert.ts'
import { getIsolation } from './skills/get-isolation.ts'
import { getMachine } from './skills/get-machine.ts'
import { getMachineAction } from './skills/get-machine-action.ts'
import { isolateMachine } from './skills/isolate-machine.ts'
import { listAlerts } from './skills/list-alerts.ts'
import { listIndicators } from './skills/list-indicators.ts'
import { listMachineLogonUsers } from './skills/list-machine-logon-users.ts'
import { listMachines } from './skills/list-machines.ts'
import { listMachinesVulnerabilities } from './skills/list-machines-vulnerabilities.ts'
import { listRecommendations } from './skills/list-recommendations.ts'
import { listVulnerabilities } from './skills/list-vulnerabilities.ts'
import { runAdvancedQuery } from './skills/run-advanced-query.ts'
import { runAntivirusScan } from './skills/run-antivirus-scan.ts'
import { runLiveResponse } from './skills/run-live-response.ts'
import { unisolateMachine } from './skills/unisolate-machine.ts'

export default definePlugin({
  name: 'endpoint_security',
  title: 'Endpoint security platform',
  description:
    'Alerts, machines, containment, hunting, indicators and vulnerabilities of Microsoft Defender for Endpoint.',
  connection,
  skills: [
    listAlerts,
    getAlert,
    listMachines,
    getMachine,
    listMachineLogonUsers,
    isolateMachine,
    unisolateMachine,
    runAntivirusScan,
    collectInvestigationPackage,
    runLiveResponse,
    getMachineAction,
    getIsolation,
    runAdvancedQuery,
    listIndicators,
    createIndicator,
    deleteIndicator,
    listVulnerabilities,
    listMachinesVulnerabilities,
    listRecommendations,
  ],
})
