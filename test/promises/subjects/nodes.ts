import type { Promised } from '../promised.ts'

/** Several servers and nodes. */
export const nodePromises: readonly Promised[] = [
  {
    title: 'A server that was replaced does nothing more',
    exactly: `
With a [standby](operations.md#a-standby), a server that freezes, for example in a paused virtual machine, and continues after the standby has taken over sends
nothing to other systems, acknowledges nothing and exits. Its runs continue in the standby, each step by its class as after a crash. Two gaps remain: a pause
in the microseconds between the last check of the lease and the first byte of a request, and a pause that neither clock of the machine shows, such
as a snapshot that is resumed without setting the time. Such a request may be sent; its outcome is not recorded a second time.

On PostgreSQL, the same holds for a node that the others have removed. A node that cannot reach the database sends nothing after five seconds, and continues if nobody removed it.
`,
    proofs: [
      {
        file: 'nodes/failover.test.ts',
        title:
          'a server with a standby is replaced when it is killed; the standby says meanwhile that it is not ready',
      },
      {
        file: 'nodes/failover.test.ts',
        title:
          'a server with a standby sends nothing, acknowledges nothing and exits if it was stopped during a call and replaced',
        planted: ['a request needs no lease', 'a process that was replaced may still write'],
      },
      {
        file: 'nodes/failover.test.ts',
        title: 'a server with a standby goes on where it was if nobody took over while it was stopped',
      },
      {
        file: 'nodes/lease.test.ts',
        title:
          'a run without the lease calls no skill until the lease is held, also between its intent and its call',
        planted: ['a step needs no lease between its intent and its call'],
      },
      {
        file: 'nodes/lease.test.ts',
        title: 'a takeover waits longer than a lease, and then removes the earlier processes',
        planted: ['a takeover does not wait for the end of the lease'],
      },
      {
        file: 'engine/lost-turns.test.ts',
        title: 'a turn that another process has taken over ends before the next step',
        planted: ['the writes of a run are accepted in a turn that is over'],
      },
    ],
  },
  {
    title: 'Several nodes lose nothing and repeat nothing when one of them or the primary dies',
    exactly: `
This holds for [several servers on PostgreSQL](operations.md#several-servers-on-postgresql) with a synchronous standby, whenever nodes are killed, freeze, or lose their connections, and
whenever the primary dies and the standby is promoted. An alert answered with 2xx is kept and investigated, its run ends exactly once, and no action of class \`never\` or \`verify\`
happens twice. The other nodes continue the runs of a dead node within 10 seconds, or somewhat later if the machines are overloaded. A sender that gets no answer sends the alert again, through any
node, with the same \`Idempotency-Key\`.

A node waits for others by its own clock, and longer than they may send without a renewed lease. Time in which it could not look at the others does not count, so a failover of the
database ends no node. Runs that were active on two nodes in a row when they died are taken up one by one (promise 9), which takes longer. The gaps of promise 17 remain.
`,
    proofs: [
      {
        file: 'nodes/cluster-faults.test.ts',
        title: 'several nodes whose processes and database fail under load keep each acknowledged alert',
        planted: [
          'a request needs no lease',
          'other nodes take over before the lease is over',
          'a removed node may write',
          'commits do not wait for the standby',
        ],
      },
      {
        file: 'postgres/contract.test.ts',
        title: 'PostgreSQL stores turns that are over',
        planted: ['the writes of a run are accepted in a turn that is over'],
      },
    ],
  },
]
