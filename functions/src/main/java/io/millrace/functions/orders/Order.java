package io.millrace.functions.orders;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.Objects;

/**
 * An order to move money into or out of an account, as it goes through the stream in JSON. All properties are required,
 * and an order that moves nothing is none: such documents are undecodable.
 *
 * @param id tells it from all others; ids sort in the order in which orders were given
 * @param account whose balance it moves
 * @param given when it was given
 * @param cents how much: positive is paid in, negative is paid out
 */
public record Order(
        @JsonProperty(required = true) String id,
        @JsonProperty(required = true) String account,
        @JsonProperty(required = true) Instant given,
        @JsonProperty(required = true) long cents) {

    public Order {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(account, "account");
        Objects.requireNonNull(given, "given");
        if (cents == 0) {
            throw new IllegalArgumentException("cents is 0; an order moves money");
        }
    }
}
