import { textAt, type JsonObject } from 'tocsin/plugin'
import { workstation } from '../../examples/machine.ts'
import { busyHost, machines } from './machines.ts'

/** Something that a machine has seen: the hunting table that records it, and the value to look for. */
interface Sighting {
  readonly table: string
  readonly value: string
  readonly machine: JsonObject
}

const sightings: readonly Sighting[] = [
  { table: 'DeviceNetworkEvents', value: 'login-example.com', machine: busyHost },
  { table: 'DeviceNetworkEvents', value: '203.0.113.77', machine: workstation },
  {
    table: 'DeviceFileEvents',
    value: '488e74e2026d03f21b33f470c23b3de2f466643186c2e06ae7b4883cc2e59377',
    machine: workstation,
  },
  ...machines.flatMap((machine) => [
    { table: 'DeviceInfo', value: shortName(machine), machine },
    { table: 'DeviceInfo', value: textAt(machine, 'lastExternalIpAddress') ?? '', machine },
  ]),
]

/** The tables that have sightings. */
export const sightingTables: ReadonlySet<string> = new Set(sightings.map(({ table }) => table))

/** One row per machine that has seen one of the values, ignoring case. */
export function sighted(table: string, values: readonly string[]): readonly JsonObject[] {
  const wanted = new Set(values.map((value) => value.toLowerCase()))
  const found = sightings.filter((one) => one.table === table && wanted.has(one.value))
  return [...new Set(found.map(({ machine }) => machine))].map((machine) => ({
    DeviceName: textAt(machine, 'computerDnsName'),
    DeviceId: textAt(machine, 'id'),
    Seen: textAt(machine, 'lastSeen'),
  }))
}

function shortName(machine: JsonObject): string {
  return (textAt(machine, 'computerDnsName') ?? '').toLowerCase().split('.')[0] ?? ''
}
