/** For the tests of plugins, imported as `tocsin/plugin/testing`. */
export type { CannedReply, Replies, SentRequest } from './canned-egress.ts'
export { checkConnection } from './check-connection.ts'
export type { CheckConnectionOptions, ConnectionCheck } from './check-connection.ts'
export { countCalls } from './count-calls.ts'
export { openDeclaredPlugin, sandboxWithState, testFailures } from './declared-plugin.ts'
export type { DeclaredPluginUnderTest, ExpectedFailure, FailureSeen } from './declared-plugin.ts'
export { contractTests, describePlugin, webhookRequest } from './describe-plugin.ts'
export type { ContractTest, DescribePluginOptions } from './describe-plugin.ts'
export type { Failure } from './failures/failures.ts'
export { issueSignIns, issueTokens } from './issue-tokens.ts'
export type {
  IssueSignInsOptions,
  IssueTokensOptions,
  SignInIssuer,
  TokenIssuer,
  TokenRequestRefusal,
} from './issue-tokens.ts'
export { loopbackEgress } from './loopback-egress.ts'
export { testCases } from './memory-stores.ts'
export type { TestCases } from './memory-stores.ts'
export { runSkill } from './run-skill.ts'
export type { LoggedLine, RunSkillOptions, SkillRun } from './run-skill.ts'
export { serveSandbox, serveTls } from './serve-sandbox.ts'
export type {
  SandboxBehaviour,
  ServedSandbox,
  ServedTls,
  ServeTlsOptions,
  StartableSandbox,
} from './serve-sandbox.ts'
export { htmlReply } from './routes.ts'
export type { SandboxCall, SandboxHandler, SandboxReply, SandboxRoutes, SandboxState } from './routes.ts'
