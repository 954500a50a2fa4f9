/** The component of each node kind. A kind without a view does not compile. */
import type { NodeProps } from "@xyflow/react";
import type { ComponentType } from "react";
import type { NodeData } from "../wire/generated";
import { ChatNode } from "./chat/ChatNode";
import { FileNode } from "./file/FileNode";
import { GroupNode } from "./group/GroupNode";
import { StickyNode } from "./sticky/StickyNode";

export const NODE_VIEWS: Record<NodeData["kind"], ComponentType<NodeProps>> = {
  chat: ChatNode,
  sticky: StickyNode,
  group: GroupNode,
  file: FileNode,
};
