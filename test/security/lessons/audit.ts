import { http, type Chapter } from './lesson.ts'

export const audit: Chapter = {
  title: 'What is done, and who did it',
  lessons: [
    {
      promise:
        'Each deletion by the retention policy is recorded in the organization’s audit log in the same write: number, cut-off time and setting. The case shows what it lost.',
      proofs: [
        [
          'test/contract/retention-store.ts',
          'records for each organization what a piece deletes, with the rule',
          'counts deletions on the case without changing its revision or time',
        ],
        ['test/sqlite/retention.test.ts', 'is atomic: kill -9'],
        http('cases', 'and the organization audit log count the deleted alerts and runs'),
      ],
    },
    {
      promise:
        'The audit log is append-only. Each entry is chained to the previous one and written in the same commit as its action.',
      proofs: [
        [
          'test/cli/audit.test.ts',
          'detects any changed database row, although triggers refuse changes',
          'names the first entry that was changed, removed or inserted without the triggers',
          'detects a truncated log with a kept head',
        ],
        http(
          'audit',
          'lists each action with its actor and the request id that the server logs',
          'never shows a secret or the value of a key',
        ),
        http(
          'failed-authentications',
          'are in the audit log with address, key and reason',
          'with unknown keys do not hide a guess at an existing key or its organization',
          'from one address do not hide other addresses',
        ),
      ],
    },
    {
      promise:
        'Case entries identify their author by kind and id, which users cannot choose. An API key cannot pass for a run or the server by its name.',
      proofs: [
        http(
          'cases',
          'are attributed to the key',
          'as a report show the actors, and all foreign text inside code',
        ),
        ['test/web/case-page.test.ts', 'shows actors by kind and id, whatever the name of the key'],
        http('names', 'refuses an unreadable name for'),
      ],
    },
    {
      promise: 'Destructive skills have an hourly limit; beyond it, they wait for a person.',
      proofs: [
        [
          'test/end-to-end/breaker.test.ts',
          'wait for an analyst over the API, also across a restart, and run when approved',
          '',
          'fail the step if refused, and name the responder',
        ],
        [
          'test/http/approval-by-session.test.ts',
          'is refused with the same key and with any of its sessions',
        ],
        [
          'test/engine/approved-by-another.test.ts',
          'is refused to keys that the requester created, directly or indirectly',
        ],
      ],
    },
    {
      promise:
        'The process creates files for its owner only, and does not start in a data directory with foreign files that others can access.',
      proofs: [
        [
          'test/security/process.test.ts',
          'writes files for its owner only, into a directory closed to others',
          'refuses a foreign directory that others can enter, with a hint',
        ],
      ],
    },
    {
      promise: 'Compiled modules are not loaded from a folder that other users of the machine can write.',
      proofs: [
        [
          'test/cli/compile-cache.test.ts',
          'are kept in the cache folder of the user, not in the temporary folder of all',
        ],
      ],
    },
    {
      promise:
        'No signal opens a debugger in the process. Plugins and child processes find no credentials in the environment.',
      proofs: [
        [
          'test/security/process.test.ts',
          'opens no inspector on SIGUSR1 and keeps working',
          'opens no inspector if another program starts the server',
          'hides credentials in its environment from plugins and child processes',
          'hides credentials from plugins that a command loads',
        ],
      ],
    },
    {
      promise:
        'The audit log is exported as it is recorded: each entry at least once, with the hashes of the chain, despite kills and outages.',
      proofs: [
        [
          'test/end-to-end/audit-export.test.ts',
          'loses nothing on a kill of the server, reaches a receiver over TLS, and reports its lag',
        ],
        [
          'test/audit/audit-export.test.ts',
          'keeps entries until they are accepted, across restarts, without delaying writes',
          'verifies the certificate over TLS',
          'escapes the ends of structured data, and line breaks',
          'never connects to cloud metadata addresses',
          'forgets a removed destination and records it, and starts over if it is added again',
        ],
      ],
    },
    {
      promise:
        'The audit log records case exports and views of keys and connections. A page that reloads them does not flood it.',
      proofs: [
        http(
          'audited-views',
          'are declared for every route that shows them',
          'are recorded at most once an hour per key:',
          'of cases are recorded each time, with actor and format',
        ),
      ],
    },
    {
      promise: 'The log records refused access with actor, action and object, in a limited number of lines.',
      proofs: [
        http(
          'access-refusals',
          'are logged at info level with actor, action, object and reason',
          'distinguish objects of other organizations from missing objects',
          'are logged once per kind, for at most 100 kinds',
        ),
      ],
    },
  ],
}
