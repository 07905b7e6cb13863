/** The public contract for plugin authors, imported as `tocsin/plugin`. It imports nothing else of the project. */
export { caseStatuses, severities, verdicts } from './case-access.ts'
export type {
  CaseAccess,
  CaseChanges,
  CaseStatus,
  CaseView,
  NewCase,
  Severity,
  Verdict,
} from './case-access.ts'
export { defineConnection } from './connection.ts'
export type {
  Authenticated,
  ConnectionContext,
  ConnectionDefinition,
  ErrorAnswer,
  ExplainedError,
  Moment,
  RateBudget,
  RatedRequest,
  RateLimit,
  TokenRefusal,
  TokenRequest,
} from './connection.ts'
export { ConnectionError, RetryableError, SkillError, TocsinError } from './errors.ts'
export type { Effect, ErrorOptions, RetryableErrorOptions } from './errors.ts'
export type { HttpClient, HttpRequest, HttpResponse, QueryValue } from './http.ts'
export type {
  InboundAnswer,
  InboundHandler,
  InboundReply,
  InboundRequest,
  InboundResult,
  ManifestAbout,
} from './inbound.ts'
export { countAt, isObject, numberAt, objectsAt, textAt, valueAt } from './json-access.ts'
export type { JsonObject } from './json-access.ts'
export { addressSchema, privateAddressSchema } from './json-schema.ts'
export type { Infer, JsonSchema, JsonSchemaType } from './json-schema.ts'
export { collectPages } from './paging.ts'
export type { AnnouncedPage, CollectedPages, CollectPagesOptions, Page, PageRequest } from './paging.ts'
export { definePlugin } from './plugin.ts'
export type { PluginDefinition } from './plugin.ts'
export { leftOutProperties, readable, readRecords } from './readable.ts'
export type { LeftOut } from './readable.ts'
export { pathText, percentEncode } from './request-path.ts'
export type { RequestPath } from './request-path.ts'
export type { RunningSandbox, Sandbox, SandboxCommand, SandboxOptions, SandboxRequest } from './sandbox.ts'
export { Secret } from './secret.ts'
export { asksInputs, defineSkill, destructiveClasses, observableKinds } from './skill.ts'
export type {
  AnySkill,
  AskedQuestion,
  DestructiveClass,
  ObservableKind,
  QuestionOutcome,
  RefusalReason,
  RefusedAnswer,
  Repeat,
  SettledQuestion,
  SkillContext,
  SkillDefinition,
  SkillExample,
  SkillLog,
} from './skill.ts'
