// Answers that are none.

import { serve } from "./protocol.ts";
import type { Answer } from "./protocol.ts";

function objectItself(): Answer {
  const me = new Map<string, Answer>([["first", null]]);
  return me.set("me", me);
}

function listItself(): Answer {
  const list: Answer[] = [[]];
  list.push(list);
  return { list };
}

await serve("odd", "1", { object_itself: objectItself, list_itself: listItself });
