import type { JsonObject } from 'tocsin/plugin'
import { server, workstation } from '../../examples/machine.ts'
import { recorded } from './fixture.ts'

/** Two machines with the same name: the old one no longer reports. */
const [oldLaptop, newLaptop] = [
  {
    ...workstation,
    id: 'aa0c9a1b7d2e48569c0fb1a2d3e4f50617283900',
    computerDnsName: 'laptop-7.example.com',
    lastSeen: '2025-06-30T16:11:02.1000000Z',
    healthStatus: 'Inactive',
    riskScore: 'None',
    machineTags: [],
  },
  {
    ...workstation,
    id: 'bb0c9a1b7d2e48569c0fb1a2d3e4f50617283911',
    computerDnsName: 'laptop-7.example.com',
    riskScore: 'Low',
    machineTags: ["Kim's", 'Sales'],
  },
]

/** Its operating system has no investigation packages. */
export const linuxHost = {
  ...server,
  id: 'cc0c9a1b7d2e48569c0fb1a2d3e4f50617283922',
  computerDnsName: 'build-3.example.com',
  osPlatform: 'Linux',
  version: '22.04',
  lastIpAddress: '10.20.1.33',
  ipAddresses: [{ ipAddress: '10.20.1.33', macAddress: '0A1B2C3D4E60', operationalStatus: 'Up' }],
  machineTags: ['never-isolate'],
}

/** Has a live response session opened in the portal, which no list of actions shows. */
export const busyHost = {
  ...workstation,
  id: 'dd0c9a1b7d2e48569c0fb1a2d3e4f50617283933',
  computerDnsName: 'desk-043.example.com',
  machineTags: [],
}

/** Switched off: its actions stay pending. */
export const offlineHost = {
  ...workstation,
  id: 'ee0c9a1b7d2e48569c0fb1a2d3e4f50617283944',
  computerDnsName: 'desk-044.example.com',
  healthStatus: 'Inactive',
  machineTags: [],
}

/** The machine of the recorded alert. */
const recordedAlertsHost = {
  ...workstation,
  id: '111e6dd8c833c8a052ea231ec1b19adaf497b625',
  computerDnsName: 'temp123.middleeast.corp.microsoft.com',
  rbacGroupName: 'A',
  machineTags: [],
}

export const machines: readonly JsonObject[] = [
  workstation,
  server,
  oldLaptop,
  newLaptop,
  linuxHost,
  busyHost,
  offlineHost,
  recordedAlertsHost,
  ...recorded('machines-list-with-ip-addresses'),
].filter((machine) => machine !== undefined)

const kim = {
  id: 'example\\kim',
  accountName: 'kim',
  accountDomain: 'example',
  firstSeen: '2025-11-03T07:12:44Z',
  lastSeen: '2026-01-12T07:58:02Z',
  logonTypes: 'Interactive',
  isDomainAdmin: false,
  isOnlyNetworkUser: false,
}

const admin = {
  ...kim,
  id: 'example\\adm-lee',
  accountName: 'adm-lee',
  logonTypes: 'Network',
  isDomainAdmin: true,
}

/** Users who have logged on to a machine. */
export const logonUsersOf = (id: string): readonly JsonObject[] =>
  id === workstation.id ? [kim] : id === server.id ? [kim, admin] : recorded('machine-logon-users')
