/** The public contract for plugin authors, imported as `tocsin/plugin`. It imports nothing else of the project. */
export { addressSchema, privateAddressSchema } from './address-schema.ts'
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
export { isObject, numberAt, objectsAt, textAt, valueAt } from './json-access.ts'
export type { JsonObject } from './json-access.ts'
export type { Infer, JsonSchema, JsonSchemaType } from './json-schema.ts'
export { observableKinds } from './observable.ts'
export type { ObservableKind } from './observable.ts'
export { collectPages } from './paging.ts'
export type { AnnouncedPage, CollectedPages, CollectPagesOptions, Page, PageRequest } from './paging.ts'
export { definePlugin } from './plugin.ts'
export type { PluginDefinition } from './plugin.ts'
export { leftOutProperties, readable, readRecords } from './readable.ts'
export type { LeftOut } from './readable.ts'
export type { RateBudget, RatedRequest, RateLimit } from './rate.ts'
export type {
  AskedQuestion,
  QuestionOutcome,
  RefusalReason,
  RefusedAnswer,
  SettledQuestion,
} from './question.ts'
export { pathText, percentEncode } from './request-path.ts'
export type { RequestPath } from './request-path.ts'
export { Secret } from './secret.ts'
export { asksInputs, defineSkill, destructiveClasses } from './skill.ts'
export type {
  AnySkill,
  DestructiveClass,
  Repeat,
  SkillContext,
  SkillDefinition,
  SkillExample,
  SkillLog,
} from './skill.ts'
export type { RunningSandbox, Sandbox, SandboxCommand, SandboxOptions, SandboxRequest } from './sandbox.ts'
export type { TokenRefusal, TokenRequest } from './token.ts'
