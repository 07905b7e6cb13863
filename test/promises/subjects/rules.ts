import type { Promised } from '../promised.ts'

/** Retries, repeats, limits, events and shadows. */
export const rulePromises: readonly Promised[] = [
  {
    title: 'A retry continues from the failed step',
    exactly: `
The new run has its own journal, with a copy of the carried results. A large journal is copied in pieces, so that other work continues; until the copy is complete, also after a
crash, the run does not start and shows no steps.

Carried steps never run again. Only the actions listed under \`repeats\` in the preview can be repeated, with a new idempotency key. For skills of class
\`verify\` with the same input, Tocsin first asks the other system under the earlier key, and does not repeat a call that happened. A run can be retried once.
`,
    proofs: [
      {
        file: 'faults/retries.test.ts',
        title: 'retries on a server',
        planted: ['a retry does not know completed steps'],
      },
      {
        file: 'sqlite/journal-copies.test.ts',
        title: 'the journal copied by a retry',
        planted: ['a retry starts before the journal is copied completely'],
      },
      {
        file: 'retry/every-failure.test.ts',
        title: 'a retry ends',
        planted: ['a retry carries over failed steps'],
      },
      {
        file: 'retry/cut-off.test.ts',
        title: 'a retry of a partly aborted run',
        planted: ['a retry carries over interrupted steps'],
      },
      {
        file: 'retry/asked-first.test.ts',
        title: 'a retry of a step with unknown outcome and a verifying skill',
        planted: ['a retry does not verify earlier effects'],
      },
      {
        file: 'retry/edited-playbook.test.ts',
        title: 'a retry with an edited playbook',
        planted: ['an edited step counts as unchanged'],
      },
    ],
  },
  {
    title: 'A repeat ends with the investigation that it joined',
    exactly: `
A repeat of an alert is stored like any other alert, belongs to the same case, and is Completed exactly when the investigation of the first alert has completed, also
across kill -9. If that investigation failed, the next repeat is investigated. Alerts with missing fields, of a closed case, or after the time window are not repeats.
The decision is part of the write that would queue the run, so simultaneous alerts have one run.
`,
    proofs: [
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores RunStore, alerts that may repeat',
        planted: [
          'repeats do not end with the run',
          'repeats complete although the first investigation failed',
          'repeats of a killed process never end',
        ],
      },
      {
        file: 'faults/grouping.test.ts',
        title:
          'repeats of an alert on a killed server are all kept in one case with one run, and end with it',
      },
      { file: 'investigation/group-of.test.ts', title: 'groupOf' },
    ],
  },
  {
    title: 'Destructive actions beyond the limit need an approval',
    exactly: `
Per class of destructive skills, organization and hour, no more actions start than the limit (\`TOCSIN_DESTRUCTIVE_PER_HOUR\`, or the organization's own) without
a person's approval. An action is counted together with its intent in one write, once per step, and stays counted across restarts, unless it certainly changed
nothing. Further actions wait, also across restarts, until they are approved or refused; only \`approve\` approves. Single actions that were refused are not performed.

The hour is elapsed time: setting the clock of a running process does not change it. Setting it forward while no process runs shortens the hour.
`,
    proofs: [
      {
        file: 'engine/approvals.test.ts',
        title: 'a destructive skill over its limit',
        planted: [
          'the limit of destructive actions is off by one',
          'the hour of destructive actions follows the system clock',
          'after a restart, a step starts without its approval if the limit allows it',
          'any answer approves an action',
        ],
      },
      {
        file: 'sqlite/destructive-uses.test.ts',
        title: 'uses of destructive skills in SQLite',
        planted: ['a start forgets earlier destructive actions'],
      },
      { file: 'end-to-end/breaker.test.ts', title: 'too many uses of a destructive skill' },
      {
        file: 'end-to-end/approvals-killed.test.ts',
        title:
          'approved actions of a server killed with kill -9 happen at most once if approved, and never if refused',
        planted: ['refused actions of an approval are performed'],
      },
    ],
  },
  {
    title: 'A containment that expires is undone once',
    exactly: `
The run that undoes it is queued in the write that claims the containment, and the outcome of its call is recorded with the end of the containment. An expiry that
passes while no process runs fires at the next start. Kills at any instant lead neither to a second undo nor to none: a skill of class \`safe\` repeats under the same key, \`verify\` asks
first, and one of class \`never\` is called at most once and is \`unknown\` if nobody knows whether it took effect.

What cannot be undone, because its condition, its input, its skill, its connection or the other system fails, is \`overdue\` with the reason, and people decide. A clock set back lengthens
a containment by that time.
`,
    proofs: [
      {
        file: 'destructive/kill/kill.test.ts',
        title:
          'expired containments of a server killed with kill -9 are undone exactly once, or have an unknown outcome, after kills at random times',
        planted: ['the outcome of an undo does not end its containment'],
      },
      {
        file: 'destructive/kill/kill.test.ts',
        title:
          'expired containments of a server killed with kill -9 are undone exactly once, or have an unknown outcome, after kills right after an undo',
        planted: [
          'the undo of an expired containment does not claim it',
          'an interrupted step is repeated regardless of its class',
        ],
      },
      {
        file: 'destructive/expiry.test.ts',
        title: 'the expiry of containments',
        planted: [
          'containments that expired while no process ran are not undone',
          'an error of the condition of an expiry means false',
        ],
      },
      { file: 'sqlite/contract.test.ts', title: 'SQLite stores ContainmentStore with an expiry' },
    ],
  },
  {
    title: 'All runs share the rate limit of a connection',
    exactly: `
All runs of the process share the rate limit of a connection, as its plugin declares it: in no time span are more requests sent than allowed. A 429 with
\`Retry-After\` delays all of them for that time, up to five minutes. Waiting steps take turns in order of arrival, and waiting is not a failure. Limits are kept in
memory: a new process starts with an unused budget.

On PostgreSQL, the nodes divide the budget, and each one keeps its part in memory: in no time span do all of them together send more than allowed, also while nodes join, leave or
freeze. A node that joins sends nothing over a limited connection until the others count it. When one leaves or is lost, the others use its part as soon as
its requests no longer count, after at most a minute. A 429 with \`Retry-After\` is told to all nodes; one that misses it learns it with its own next request.
`,
    proofs: [
      {
        file: 'skill/rates-of-runs.test.ts',
        title: 'runs that share a connection share its rate limit without a failed step',
        planted: [
          'sent requests do not count towards the rate limit',
          'a step that waits for the rate limit fails',
        ],
      },
      { file: 'skill/rate-bucket.test.ts', title: 'a rate bucket' },
      {
        file: 'skill/rates.test.ts',
        title: 'the rate limit of a connection',
        planted: ['Retry-After closes nothing'],
      },
      { file: 'engine/retries.test.ts', title: 'local durable context: attempts retries honors Retry-After' },
      {
        file: 'nodes/node-share.test.ts',
        title: 'the rate limit of a connection over several nodes holds while nodes join, leave and freeze',
        planted: [
          'each node uses the whole rate limit',
          'a node uses the part of a lost one while its requests still count',
        ],
      },
    ],
  },
  {
    title: 'An event starts each playbook once',
    exactly: `
A change of a case, or an alert whose observables are counted, is stored together with the note that playbooks wait for it; a second write removes the note and
queues the runs. So a crash at any instant neither loses nor doubles a run. A playbook never starts because of its own run, also not through other
playbooks, unless the change comes back through another system. Changes are noted only while a live playbook waits for them.
`,
    proofs: [
      {
        file: 'trigger/event-dispatcher.test.ts',
        title:
          'events that start playbooks changes of cases that happened before a crash start their runs at the next start, once',
      },
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores TriggerStore settles an event once, with its runs and notes',
        planted: ['an event stays after its runs were queued'],
      },
      {
        file: 'trigger/event-dispatcher.test.ts',
        title:
          'events that start playbooks changes of cases never start a playbook because of its own run, also not through another playbook',
        planted: ['a playbook may start because of its own run'],
      },
      {
        file: 'trigger/event-dispatcher.test.ts',
        title:
          'events that start playbooks observables in alerts start it once in a window, and again after it',
        planted: ['an observable starts a playbook with every further alert'],
      },
      {
        file: 'trigger/event-dispatcher.test.ts',
        title:
          'events that start playbooks observables in alerts are counted exactly when many alerts arrive at once',
      },
      {
        file: 'http/trigger-playbook.test.ts',
        title:
          'POST playbooks/{playbook}/trigger/{organization} starts one run for repeated requests with an Idempotency-Key',
      },
    ],
  },
  {
    title: 'A playbook in shadow changes nothing',
    exactly: `
A playbook with \`mode: shadow\` sends no write to another system, asks nobody, opens no case and starts no run, also if the process is killed while it is judged.
It calls only skills that declare to read; what they send, such as the request for a token or a query by POST, is a read. Nothing starts or calls it. An alert that a
crash interrupted is judged again, and has one result.
`,
    proofs: [
      {
        file: 'end-to-end/shadow-kill.test.ts',
        title: 'a shadow whose server is killed with kill -9 judges every alert once, and sends no write',
      },
      {
        file: 'end-to-end/shadow-kill.test.ts',
        title:
          'a shadow whose server is killed with kill -9 would be found out if it sent one: a live run is',
      },
      {
        file: 'shadow/no-writes.test.ts',
        title: 'a shadow of any shipped playbook reads, and sends no write',
        planted: ['a replay calls skills that write'],
      },
      {
        file: 'shadow/no-writes.test.ts',
        title: 'a shadow of a generated playbook sends no write',
        planted: ['a replay calls skills that write'],
      },
      {
        file: 'shadow/no-writes.test.ts',
        title: 'a shadow is refused by a second guard if a replay asked for a write',
        planted: ['a shadow may call any skill'],
      },
      {
        file: 'playbook/shadow.test.ts',
        title: 'a playbook in shadow is never started',
        planted: ['a playbook in shadow can be started'],
      },
    ],
  },
]
