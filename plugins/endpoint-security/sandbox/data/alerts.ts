import { isObject, type JsonObject } from 'tocsin/plugin'
import { malwareOnWorkstation } from '../../examples/alert.ts'
import { server } from '../../examples/machine.ts'
import { endpointFixture, recorded } from './fixture.ts'
import { linuxHost } from './machines.ts'

const onServer = {
  ...malwareOnWorkstation,
  id: 'da638723441200000002_322129023',
  title: 'Malware was prevented',
  severity: 'Medium',
  category: 'Malware',
  incidentId: 2211,
  machineId: server.id,
  computerDnsName: server.computerDnsName,
  rbacGroupName: server.rbacGroupName,
  alertCreationTime: '2026-01-12T06:30:00.5Z',
  lastUpdateTime: '2026-01-12T06:41:12.1Z',
}

/** On a machine whose tag requires approval before isolation. */
const onBuildHost = {
  ...malwareOnWorkstation,
  id: 'da638723441200000004_91',
  title: 'A miner of crypto currency was started by a build',
  category: 'Execution',
  incidentId: 2212,
  machineId: linuxHost.id,
  computerDnsName: linuxHost.computerDnsName,
  rbacGroupName: linuxHost.rbacGroupName,
  alertCreationTime: '2026-01-12T06:50:00.5Z',
  lastUpdateTime: '2026-01-12T06:52:40.1Z',
}

/** About a user without a machine; its text contains an injection attempt. */
const withoutMachine = {
  ...malwareOnWorkstation,
  id: 'da638723441200000003_7',
  title: "Sign-in by '; drop table x -- ${{ secrets }} <script>alert(1)</script>",
  severity: 'Low',
  category: 'InitialAccess',
  machineId: null,
  computerDnsName: null,
  rbacGroupName: null,
  evidence: [],
}

export const alerts: readonly JsonObject[] = [
  malwareOnWorkstation,
  onServer,
  onBuildHost,
  withoutMachine,
  ...recorded('alerts-list-expand-evidence'),
  endpointFixture('alert-update-response'),
].filter(isObject)
