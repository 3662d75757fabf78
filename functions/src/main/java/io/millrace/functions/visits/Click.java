package io.millrace.functions.visits;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.Objects;

/**
 * A click, as it goes through the stream in JSON. All properties are required.
 *
 * @param user who clicked
 * @param page what was opened
 * @param time when
 */
public record Click(
        @JsonProperty(required = true) String user,
        @JsonProperty(required = true) String page,
        @JsonProperty(required = true) Instant time) {
    public Click {
        Objects.requireNonNull(user, "user");
        Objects.requireNonNull(page, "page");
        Objects.requireNonNull(time, "time");
    }
}
