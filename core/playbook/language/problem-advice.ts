/** Warnings and advice about playbooks, as part of the problem catalogue. */
export const adviceCatalogue = {
  W401: {
    title: 'step never runs',
    explanation: 'An earlier step always ends the run.',
  },
  W402: {
    title: 'switch without else',
    explanation:
      'If no condition is true, nothing happens. Make that explicit with an `else`, such as a `set` step.',
  },
  W403: {
    title: 'output never used',
    explanation: 'The only effect of the step is its output, and nothing reads it.',
  },
  W404: {
    title: 'retry of a write that must not be repeated',
    explanation:
      'The skill declares that its effect must not happen twice. It is retried only after errors that prove it had no effect, such as `http_429`; this needs no `retry`. After a timeout or a response such as 500 the outcome is `unknown`, and the run waits for a person.',
  },
  W405: {
    title: 'text that looks like an expression',
    explanation:
      'Only `${{ … }}` is replaced by a value. Other text is used as it is. Inside an expression, a name in quotes is a string: `"alert.data.x" == "bob"` compares two strings and is always false.',
  },
  W406: {
    title: 'unknown error code',
    explanation:
      'The code in `retry.on` is not a built-in one. Unless the skill itself uses it, it never causes a retry.',
  },
  W407: {
    title: 'time beyond the limit',
    explanation:
      'A literal wait or checkpoint timeout must be shorter than every `timeout` around it: of groups, and of the playbook (default `1d`). The `on_error` and `finally` of a playbook have one hour. Otherwise the step always fails, and `on_timeout` is never used. The same applies to a list that takes longer at the `rate` of its step.',
  },
  W408: {
    title: 'works for some types only',
    explanation:
      'A value may have one of several types, as with `type: [string, integer]` or `oneOf`, and the operation works only for some of them. For the others the step fails. Distinguish types with `type(x) == string ? … : …`, and objects with a constant field, as in `x.kind == "a"`, or with `has(x.field)`.',
  },
  W409: {
    title: 'times as strings',
    explanation:
      'In JSON times are strings. A string counts as a time only next to a time: `+` joins two strings, and two durations are compared as strings. Convert one of them with `timestamp(…)` or `duration(…)`.',
  },
  W410: {
    title: 'condition about the outer item',
    explanation:
      'The `if` of a step with `foreach` is evaluated once, before the loop: its `item` and `index` are those of an outer `foreach`. It does not check the items of this loop.',
  },
  W411: {
    title: 'nonexistent day',
    explanation: 'The month has fewer days. The date rolls over into the next month.',
  },
  W412: {
    title: 'number not among the values',
    explanation: 'The schema lists the possible numbers, and this is not one of them.',
  },
  W413: {
    title: 'stored optional',
    explanation:
      '`x.?field` is an optional, which JSON does not have. Stored in `set`, `return`, `outputs`, `default` or an input, it becomes its value; without one the step fails. Give a default with `orValue(…)`, such as null, or leave out missing values with `{?"key": x.?field}` and `[?x.?field]`.',
  },
  W414: {
    title: 'value in the text of a path',
    explanation:
      'An attacker who controls the value could select another resource with the credentials of the connection. Unsafe paths are rejected at run time. Write the path as a list, `path: [devices, "${{ alert.data.id }}"]`, in which each item is one percent-encoded segment, or use `${{ x.urlEncode() }}` in text.',
  },
  W420: {
    title: 'similar to a listed field',
    explanation:
      'The schema allows further fields. This one is not listed, but similar to a listed one, so it is probably a typo. If it is right, add it to the schema.',
  },
  W421: {
    title: 'comment that cuts a value',
    explanation:
      'In a value without quotes, a `#` after a space starts a comment, so the value ends before it or is empty. Quote the value, or add a space after the `#` if it is a comment.',
  },
  W422: {
    title: 'keys that become text',
    explanation:
      'In an expression a map may have whole numbers or booleans as keys, as in `{1: "a"}`. Stored in `set`, `return`, `outputs`, `default` or an input, it becomes JSON, whose keys are strings: `m[1]` becomes `m["1"]`.',
  },
  W423: {
    title: 'timeout of one round',
    explanation:
      'The `timeout` of a group or called playbook with `repeat` or `foreach` applies to each round or item. To limit all of them together, put it on a group around the step; to make clear that it applies to one round, on a group inside.',
  },
  W424: {
    title: 'constant condition',
    explanation:
      'The condition is always or never true: it compares one value with two different strings, checks an empty range, repeats a choice of an earlier case, or reads nothing.',
  },
  W440: {
    title: 'destructive skill that is repeated',
    explanation:
      'A destructive skill under `repeat` acts in each round. To follow its progress, call it once and repeat a skill that reads, or let it wait with `wait_seconds` if it has that input.',
  },
  I501: {
    title: 'steps could be parallel',
    explanation:
      'Consecutive steps only read, and do not depend on each other. Under `parallel:` they run at the same time.',
  },
  I502: {
    title: 'more problems than shown',
    explanation: 'At most 200 errors and 200 other problems are shown per file.',
  },
  I503: {
    title: 'more than the limit of destructive actions',
    explanation:
      'A `foreach` may use destructive skills more often than the hourly limit of their class allows without approval. The message shows the default limit. A `foreach` on the skill itself asks once for all its items, one on a group for each use beyond the limit.',
  },
} as const

/** Problems of tests, and between playbooks. */
export const testCatalogue = {
  E601: {
    title: 'mock without exactly one result',
    explanation:
      'A mock has an `output`, an `example` of the skill, or an `error`, or is `timeout`. With both `example` and `output`, the fields of `output` replace those of the example.',
  },
  E602: {
    title: 'mock does not fit',
    explanation: 'The output of a mock must fit the schema of the skill.',
  },
  E603: {
    title: 'invalid playbook under test',
    explanation: 'The file does not exist beside the tests, or has errors: see `tocsin validate`.',
  },
  E604: {
    title: 'duplicate test name',
    explanation: 'Test names are unique in a file.',
  },
  W601: {
    title: 'mock never used',
    explanation: 'No step of the playbook calls this skill.',
  },
  E701: {
    title: 'two playbooks with the same name',
    explanation: 'Playbooks are identified by name. Of two files with the same name, only the first is used.',
  },
  W701: {
    title: 'two playbooks for the same alerts',
    explanation:
      'Their triggers are equal, so the first one by name investigates every alert, and the other none.',
  },
} as const

/** Problems of declarative plugins, as part of the problem catalogue. */
export const pluginCatalogue = {
  E801: {
    title: 'not exactly one choice',
    explanation:
      'A request has exactly one method and at most one body. Credentials are given in exactly one way, and paging works in exactly one way.',
  },
  E802: {
    title: 'invalid path or address',
    explanation:
      'A path is a text without expressions, such as `/ping`, or a list of segments, such as `[ips, "${{ input.ip }}"]`. Each segment is percent-encoded, so that a value from an alert cannot lead to another path. Query parameters belong under `query`.',
  },
  E803: {
    title: 'secret where it would be shown',
    explanation:
      'Secret fields of a connection may be read in `auth`, `headers`, `query`, `json`, `form` and `body`. Addresses, paths, outputs, errors and the account name are shown to people and written to logs.',
  },
  E804: {
    title: 'example cannot be used',
    explanation:
      'An example is a JSON file of at most 1 MB in the folder of the plugin, with `title`, `input`, `responses` and `output`. Input and output fit the skill.',
  },
  E805: {
    title: 'value does not fit the declared type',
    explanation:
      'The expression of an output field gives another type than the field declares, or a value is not a list, a string or a number where one is needed.',
  },
  E806: {
    title: 'declaration breaks a rule of plugins',
    explanation:
      'The declaration is readable, but breaks a rule that all plugins keep, such as: an enriching skill reads, needs only `kind` and `value`, and gives `risk.score`.',
  },
  W801: {
    title: 'output of unknown type',
    explanation:
      'The type of the field is unknown, so playbooks that use it are not checked. Declare it: `name: { type: string, value: "${{ … }}" }`, or describe the body under `response`.',
  },
  W802: {
    title: 'skill without examples',
    explanation:
      'Examples are recorded answers. The documentation shows them, the tests of the plugin run them, and its sandbox answers with them.',
  },
  W803: {
    title: 'rate limit without requests',
    explanation:
      'No request of the plugin has a path with this beginning, so the limit never applies. Paths are below the base URL: with `base_url: https://api.example.com/v1`, write `/search`, not `/v1/search`.',
  },
} as const

/** Problems with names on a server and with what belongs to whom, as part of the problem catalogue. */
export const namesCatalogue = {
  E322: {
    title: 'unknown provider',
    explanation:
      'The server has no provider with the code in `on.alert.provider`, so no alert would start the playbook. Only checks on a server report this.',
  },
  E323: {
    title: 'unknown organization',
    explanation:
      'The server has no organization with this code, or you have no access to it: in `organization` at the top, or in `on.schedule.organizations`. No run would start for it. Only checks on a server report this.',
  },
  E324: {
    title: 'nothing to undo',
    explanation: '`undo` needs a skill that contains and is undone by another: see `tocsin skills <skill>`.',
  },
  E325: {
    title: 'belongs to another organization',
    explanation:
      'A playbook with `organization` at the top runs for that organization only. Only playbooks of the same organization can call it or run in shadow beside it, and it cannot name another one in `on.schedule.organizations`. It can call shared playbooks, which have no `organization`.',
  },
} as const
