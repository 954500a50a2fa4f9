/** markdown-it's types by short names: the package exports its class as a callable value, not as a type. */
import type MarkdownIt from "markdown-it";

export type Grammar = InstanceType<typeof MarkdownIt>;
export type Token = ReturnType<Grammar["parse"]>[number];
export type InlineRule = Parameters<Grammar["inline"]["ruler"]["push"]>[1];
export type BlockRule = Parameters<Grammar["block"]["ruler"]["push"]>[1];
